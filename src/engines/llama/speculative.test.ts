/** Answers with and without proposed tokens, by the real starter model: texts, events and charges are the same. */
import { expect, test } from 'bun:test'
import type { ChatEvent, Tool } from '../../core/chat.ts'
import type { JsonObject } from '../../core/json.ts'
import { type Question, startStarterEngine } from '../../testing/starter-engine.ts'

const weather: Tool = {
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: { type: 'object', properties: { city: { enum: ['Paris', 'Rome'] } }, required: ['city'] },
}

const people: JsonObject = {
  type: 'object',
  properties: {
    people: {
      type: 'array',
      minItems: 3,
      maxItems: 5,
      items: {
        type: 'object',
        properties: { name: { enum: ['Ann', 'Bob', 'Eve'] }, isGrown: { type: 'boolean' } },
        required: ['name', 'isGrown'],
        additionalProperties: false,
      },
    },
  },
  required: ['people'],
  additionalProperties: false,
}

const quiet = 'The harbour was quiet in the early morning, and the boats lay still on the grey water.'
const copy = `Repeat this text exactly: ${quiet} A fisherman mended his nets, and the gulls cried.`
const questions: Readonly<Record<string, Question>> = {
  'a text to copy': { text: copy, maxTokens: 80 },
  'a story': { text: 'Tell me a story.', maxTokens: 60 },
  'a limit inside the copy': { text: copy, maxTokens: 17 },
  'a stop string inside the copy': { text: copy, maxTokens: 80, stop: ['boats lay'] },
  'a seed': { text: copy, maxTokens: 80, sampling: { temperature: 0.9, seed: 3 } },
  penalties: { text: copy, maxTokens: 60, sampling: { temperature: 0, frequencyPenalty: 0.3, repeatPenalty: 1.1 } },
  'log probabilities': { text: copy, maxTokens: 40, topLogprobs: 2 },
  thinking: { text: copy, maxTokens: 80, reasoning: { mode: 'on', budgetTokens: 12 } },
  choices: { text: copy, maxTokens: 40, choices: 3, sampling: { temperature: 0.9, seed: 3 } },
  'a schema': { text: 'Who is there?', maxTokens: 150, answerSchema: people },
  'a schema and a tool': {
    text: 'What is the weather in Paris?',
    maxTokens: 80,
    answerSchema: people,
    tools: [weather],
  },
  'a call': { text: 'What is the weather in Paris?', maxTokens: 80, tools: [weather] },
  'a call that is required': { text: copy, maxTokens: 80, tools: [weather], toolChoice: { mode: 'required' } },
  'a repetition that is stopped': {
    text: copy,
    maxTokens: 200,
    sampling: { temperature: 0, logitBias: [[500, 100]] },
    repetitionLimit: { minPieceTokens: 1, maxPieceTokens: 8, minCount: 4, minTokens: 40 },
  },
}

/**
 * Returns the events by choice: the order of choices depends on measured costs. Other places in the cache round sums
 * otherwise.
 */
function comparable(events: readonly ChatEvent[]) {
  const place = (event: ChatEvent) =>
    'choice' in event ? event.choice : event.type === 'start' ? -1 : Number.POSITIVE_INFINITY
  const inOrder = events.toSorted((one, other) => place(one) - place(other))
  return JSON.parse(
    JSON.stringify(inOrder, (key, value) => (key === 'logprob' ? Math.round(value * 20) / 20 : value)),
  ) as unknown
}

test('answers and charges are the same with proposals and without', async () => {
  const off = await startStarterEngine({ speculative: 'off' })
  const auto = await startStarterEngine({ speculative: 'auto' })
  for (const [name, question] of Object.entries(questions)) {
    const [expected, found] = [await off.ask(question), await auto.ask(question)]
    expect([name, comparable(found.events)]).toEqual([name, comparable(expected.events)])
    expect(found.usage).toEqual(expected.usage)
  }
  const { acceptedTokens = 0, draftedTokens = 0, steps, generatedTokens } = auto.engine.stats()
  expect(acceptedTokens).toBeGreaterThan(50)
  expect(draftedTokens).toBeGreaterThanOrEqual(acceptedTokens)
  expect(steps).toBeLessThan(off.engine.stats().steps)
  expect(generatedTokens).toBe(off.engine.stats().generatedTokens)
  expect(off.engine.stats()).toMatchObject({ draftedTokens: 0, acceptedTokens: 0 })
})

test('the next turn finds all of an answer in the cache, whatever was proposed', async () => {
  const cached: number[] = []
  for (const speculative of ['off', 'auto'] as const) {
    const { ask } = await startStarterEngine({ speculative })
    const sampling = { temperature: 0 }
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: copy }] }]
    const first = await ask({ messages, maxTokens: 50, sampling }, 'acc_a')
    const said = { role: 'assistant' as const, content: [{ type: 'text' as const, text: first.texts[0] ?? '' }] }
    const again = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Again!' }] }
    const second = await ask({ messages: [...messages, said, again], maxTokens: 50, sampling }, 'acc_a')
    cached.push(second.usage.cachedTokens)
  }
  expect(cached[0]).toBeGreaterThan(40)
  expect(cached[1]).toBe(cached[0] ?? -1)
})

test('streams that copy side by side, and are granted a few tokens at a time, have what they have alone', async () => {
  const alone = await startStarterEngine({ speculative: 'off' })
  const texts = [quiet, `${quiet} ${quiet}`, 'A fisherman mended his nets, and the gulls cried over him.']
  const all = texts.map((text) => ({ text: `Repeat this text exactly: ${text}`, maxTokens: 60 }))
  const expected = []
  for (const question of all) expected.push(await alone.ask(question))
  const granted = new Map<number, number>()
  const more = (id: number) => {
    const completionTokens = (granted.get(id) ?? 0) + 7
    granted.set(id, completionTokens)
    const limit = {
      promptTokens: 0,
      cachedTokens: 0,
      completionTokens,
      reasoningTokens: 0,
      audioMs: 0,
      characters: 0,
      images: 0,
    }
    together.engine.grant(id, { limit, isFinal: false })
  }
  const together = await startStarterEngine({ speculative: 'auto' }, { onPrepared: more, onWantsGrant: more })
  const found = await Promise.all(all.map((question) => together.ask(question)))
  expect(found.map(({ texts, usage }) => [texts, usage])).toEqual(expected.map(({ texts, usage }) => [texts, usage]))
})

test('200 greedy answers are the same with proposals and without: texts, calls, schemas and usage', async () => {
  const subjects = [
    'harbour',
    'garden',
    'kitchen',
    'library',
    'station',
    'market',
    'bridge',
    'school',
    'river',
    'tower',
  ]
  const asked = (index: number): Question => {
    const subject = subjects[index % subjects.length]
    const line = `The ${subject} was quiet at ${index} in the morning, and nobody came to the ${subject} before noon.`
    const sampling = { temperature: 0 }
    switch (index % 5) {
      case 0:
        return { text: `Repeat this text exactly: ${line}`, maxTokens: 50, sampling }
      case 1:
        return { text: `Tell me about a ${subject} and ${index} cats.`, maxTokens: 40, sampling }
      case 2:
        return { text: `${line} Who is there?`, maxTokens: 90, answerSchema: people, sampling }
      case 3:
        return { text: `What is the weather in Paris at ${index}?`, maxTokens: 60, tools: [weather], sampling }
      default:
        return {
          text: `Repeat this code exactly: const ${subject} = [${index}, ${index}, ${index}]`,
          maxTokens: 50,
          sampling,
        }
    }
  }
  // Runs both side by side. With one thread each, because the threads of a step wait for each other by spinning, which
  // takes minutes if other programs use the cores.
  const off = await startStarterEngine({ speculative: 'off', threads: 1 })
  const auto = await startStarterEngine({ speculative: 'auto', threads: 1 })
  const different: number[] = []
  for (let index = 0; index < 200; index++) {
    const [expected, found] = await Promise.all([off.ask(asked(index)), auto.ask(asked(index))])
    if (!Bun.deepEquals([found.events, found.usage], [expected.events, expected.usage])) different.push(index)
  }
  expect(different).toEqual([])
  expect(auto.engine.stats().acceptedTokens).toBeGreaterThan(500)
}, 600_000)

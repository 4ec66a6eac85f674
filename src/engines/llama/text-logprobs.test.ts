/** Log probabilities are reported for exactly the tokens that form the visible text. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ChatEvent, ChatRequest, TokenLogprob, Tool } from '../../core/chat.ts'
import { textContent } from '../../core/content.ts'
import { chatFamilies } from '../../testing/chat-families.ts'
import { chatRequest } from '../../testing/chat-request.ts'
import { startStarterEngine } from '../../testing/starter-engine.ts'
import { openTemplateModels, shippedTemplate, type TemplateModels } from '../../testing/template-models.ts'
import { Answer } from './answer/answer.ts'
import { ReplyReader } from './answer/reply-reader.ts'
import type { NativeChatFormat } from './native.ts'
import { preparePrompt } from './prompt/prepare-prompt.ts'

const properties = { city: { type: 'string' }, days: { type: 'integer' } }
const tools: readonly Tool[] = [
  { name: 'get_weather', parameters: { type: 'object', properties } },
  { name: 'now', parameters: { type: 'object', properties: {} } },
]

/** Visible text and its reported tokens. */
interface Said {
  text: string
  readonly tokens: TokenLogprob[]
}

function saidIn(events: readonly ChatEvent[], choice = 0): Said {
  const said: Said = { text: '', tokens: [] }
  for (const event of events) {
    if (event.type !== 'text-delta' || event.choice !== choice) continue
    expect(event.text).not.toBe('')
    said.text += event.text
    said.tokens.push(...(event.logprobs ?? []))
  }
  return said
}

/** Checks that the tokens give the text, and that each of them has a part in it. */
function expectTokensOf({ text, tokens }: Said): void {
  const bytes = Uint8Array.from(tokens.flatMap((token) => token.bytes))
  const spelled = new TextDecoder().decode(bytes)
  const at = spelled.indexOf(text)
  expect({ spelled, at }).toEqual({ spelled: expect.stringContaining(text), at })
  const length = (token: TokenLogprob | undefined) => token?.bytes.length ?? 0
  const before = new TextEncoder().encode(spelled.slice(0, at)).length
  const after = bytes.length - before - new TextEncoder().encode(text).length
  expect(before).toBeLessThan(Math.max(1, length(tokens[0])))
  expect(after).toBeLessThan(Math.max(1, length(tokens.at(-1))))
}

describe('as formats have it', () => {
  let models: TemplateModels
  const formats = new Map<string, Promise<NativeChatFormat>>()

  beforeAll(async () => {
    models = await openTemplateModels()
  })

  afterAll(() => models.dispose())

  async function formatOf(template: string, request: Partial<ChatRequest>): Promise<NativeChatFormat> {
    const model = await models.load(shippedTemplate(template), { endBias: 0 })
    return (await preparePrompt(model, chatRequest(request))).format
  }

  /** Returns the events of an answer whose tokens are these pieces. */
  function eventsOf(format: NativeChatFormat, pieces: readonly string[], stops: readonly string[] = []): ChatEvent[] {
    const answer = new Answer({
      choice: 0,
      prompt: { units: [0], runs: [] },
      maxTokens: 100_000,
      isLimitedByContext: false,
      newSampler: () => ({ acceptPrompt: () => undefined, grammarPlace: () => undefined, flush: () => '' }),
      reader: new ReplyReader(format),
      model: { tokenBytes: (token) => new TextEncoder().encode(pieces[token]) },
      wantsLogprobs: true,
      stops,
      repetitionLimit: undefined,
    })
    const events: ChatEvent[] = []
    for (const [token, text] of pieces.entries()) {
      events.push(...answer.take({ token, text, logprob: -1, alternatives: [] }))
      if (events.at(-1)?.type === 'choice-finish') return events
    }
    return [...events, ...answer.take({ token: 0, text: '', end: 'end-of-generation', logprob: 0, alternatives: [] })]
  }

  function cut(text: string, sizes: Iterator<number>): string[] {
    const characters = [...text]
    const pieces: string[] = []
    while (characters.length > 0) pieces.push(characters.splice(0, sizes.next().value ?? 1).join(''))
    return pieces
  }

  describe.each(chatFamilies)('$name', ({ template, answer, marks }) => {
    const asked: Partial<ChatRequest> = { tools, reasoning: { mode: 'on' } }
    const key = `${template} ${marks?.begin}`
    const format = () => {
      const known = formats.get(key) ?? formatOf(template, asked)
      formats.set(key, known)
      return known
    }

    /** An answer with a call, and one that thinks and then writes something like a call. */
    const answersIn = ({ generationPrompt, thinkingStartTag, thinkingEndTags: [end = ''] }: NativeChatFormat) => {
      const start = generationPrompt.includes(thinkingStartTag) ? '' : thinkingStartTag
      return [answer, `${start}\nHm\n${end}\n\nZürich <b>is</b> [a] {"city": 1} and 🙂 so on.\n\n`]
    }

    test('character by character the tokens spell the text, with thinking and calls around it', async () => {
      for (const whole of answersIn(await format())) {
        const said = saidIn(eventsOf(await format(), [...whole]))
        expect(said.tokens.map((token) => token.token).join('')).toBe(said.text)
      }
    })

    test('however the answer is cut', async () => {
      const read = await format()
      fc.assert(
        fc.property(fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (sizes) => {
          for (const whole of answersIn(read)) expectTokensOf(saidIn(eventsOf(read, cut(whole, sizes))))
        }),
        { numRuns: 40 },
      )
    })
  })

  test('a stop string’s own tokens are left out, one that it cuts is told whole', async () => {
    const format = await formatOf('Qwen-Qwen3-0.6B', { reasoning: { mode: 'on' } })
    const tokensOf = (pieces: string[], stop: string) =>
      saidIn(eventsOf(format, pieces, [stop])).tokens.map((token) => token.token)
    const thinking = ['<think>', '\n', 'Hm', '\n', '</think>', '\n\n']
    expect(tokensOf([...thinking, 'One', ' two', ' three', ' four'], ' three')).toEqual(['One', ' two'])
    expect(tokensOf([...thinking, 'One', ' two', ' thr', 'ee'], 'o three')).toEqual(['One', ' two'])
    expect(tokensOf([...thinking, 'One', ' tw', 'o', ' thr', 'e!'], 'o three')).toEqual([
      'One',
      ' tw',
      'o',
      ' thr',
      'e!',
    ])
    expect(tokensOf(['Stop'], 'Stop')).toEqual([])
  })
})

describe('of the starter model', () => {
  let ask: Awaited<ReturnType<typeof startStarterEngine>>['ask']

  beforeAll(async () => {
    ask = (await startStarterEngine({ contextTokens: 4096 })).ask
  })

  test.each<[name: string, request: Partial<ChatRequest>]>([
    ['text', {}],
    ['thinking', { reasoning: { mode: 'on' } }],
    ['thinking that is cut short', { reasoning: { mode: 'on', budgetTokens: 4 } }],
    ['a stop string', { stop: ['is'] }],
    ['a stop string behind thinking', { reasoning: { mode: 'on' }, stop: [' is', 'e'] }],
    ['tools', { tools }],
    ['a call that is forced', { tools, toolChoice: { mode: 'required' } }],
    ['a schema', { answerSchema: { type: 'object', properties: { a: { type: 'string', maxLength: 9 } } } }],
    ['a limit', { maxTokens: 5 }],
    ['other alphabets', { messages: [{ role: 'user', content: textContent('Repeat: 日本語 🙂 é ß') }] }],
    ['several choices', { choices: 3, sampling: { temperature: 1, seed: 5 } }],
    [
      'anything at all',
      { choices: 4, sampling: { temperature: 2, topK: 0, topP: 1, minP: 0, seed: 7 }, maxTokens: 60 },
    ],
  ])('%s', async (_, request) => {
    const messages = [{ role: 'user' as const, content: textContent('What is the capital of France?') }]
    const { events } = await ask({ messages, topLogprobs: 0, maxTokens: 200, ...request })
    for (let choice = 0; choice < (request.choices ?? 1); choice++) {
      const said = saidIn(events, choice)
      if (said.text.includes('\uFFFD')) continue // no valid UTF-8: what its tokens spell is not what is shown
      expectTokensOf(said)
    }
  })
})

/** Answers of the starter model that repeat themselves until something ends them. */
import { beforeAll, expect, test } from 'bun:test'
import type { ChatEvent, Sampling } from '../../core/chat.ts'
import { endBias, type Question, startStarterEngine } from '../../testing/starter-engine.ts'

let ask: Awaited<ReturnType<typeof startStarterEngine>>['ask']

beforeAll(async () => {
  ask = (await startStarterEngine({ contextTokens: 16_384 })).ask
})

/** Sampling that never ends, and chooses a comma wherever one may stand, else an `a`: any model repeats itself. */
const endless: Sampling = { temperature: 0, logitBias: [...endBias, [11, 100], [64, 90]] }

function ends(events: readonly ChatEvent[]): ChatEvent[] {
  return events.filter(({ type }) => type === 'choice-finish')
}

test('an answer that only repeats itself ends by itself, each choice of its own', async () => {
  const { events, usage } = await ask({ sampling: endless, maxTokens: 2600, choices: 2 })
  const finish = { type: 'choice-finish', reason: 'length', isRepetition: true } as const
  expect(ends(events)).toEqual([
    { ...finish, choice: 0 },
    { ...finish, choice: 1 },
  ])
  expect(usage.completionTokens).toBeLessThan(2 * 2600)
})

test('goes on to its limit where a request wants that', async () => {
  const { events, usage } = await ask({ sampling: endless, maxTokens: 2600, repetitionLimit: 'none' })
  expect(ends(events)).toEqual([{ type: 'choice-finish', choice: 0, reason: 'length' }])
  expect(usage.completionTokens).toBe(2600)
})

test('thinking that repeats itself ends too', async () => {
  const { events } = await ask({ sampling: endless, maxTokens: 6000, reasoning: { mode: 'on' } })
  expect(ends(events)).toEqual([{ type: 'choice-finish', choice: 0, reason: 'length', isRepetition: true }])
})

test('what a schema asks for is written to its end, however often it repeats', async () => {
  const items = 900
  const answerSchema = { type: 'array', items: { const: 0 }, minItems: items, maxItems: items }
  const { texts, finish, usage } = await ask({ answerSchema, maxTokens: 6000 })
  expect(JSON.parse(texts[0] ?? '')).toEqual(Array.from({ length: items }, () => 0))
  expect(finish).toEqual(['stop'])
  expect(usage.completionTokens).toBeGreaterThan(1500)
})

test('what a schema would allow for ever ends', async () => {
  for (const answerSchema of [
    { type: 'string', pattern: '^(ab)+$' },
    { type: 'array', items: { const: 0 }, minItems: 1 },
  ]) {
    const { events } = await ask({ text: 'Repeat the letter a for ever.', sampling: endless, answerSchema })
    expect(ends(events)).toEqual([{ type: 'choice-finish', choice: 0, reason: 'length', isRepetition: true }])
  }
})

test('arrays in arrays end, in texts and in calls', async () => {
  const arrays = { type: 'array', items: { $ref: '#/$defs/arrays' } }
  const schema = { type: 'object', properties: { a: arrays }, required: ['a'], $defs: { arrays } }
  const openBracket = 58
  const sampling: Sampling = { temperature: 0, logitBias: [[openBracket, 100]] }
  const common: Question = { sampling, maxTokens: 10_000, repetitionLimit: 'none' }
  const tools = [{ name: 'nest', parameters: schema }]
  const text = await ask({ ...common, answerSchema: schema })
  const call = await ask({ ...common, tools, toolChoice: { mode: 'required' } })
  for (const { finish, usage } of [text, call]) {
    expect(finish).toEqual(['length'])
    expect(usage.completionTokens).toBeLessThan(1000)
  }
})

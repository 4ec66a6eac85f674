/** Requests of one account that begin alike and come together, with the real starter model. */
import { describe, expect, test } from 'bun:test'
import { type Question, startStarterEngine } from '../../testing/starter-engine.ts'

const beginning = 'The cat sat on the mat and looked at the bird in the tree. '.repeat(12)
const question = (name: string): Question => ({ text: `${beginning}Say hello to ${name}.`, maxTokens: 8 })
const names = ['Anna', 'Bert', 'Carla', 'Dora']

describe.each([
  ['one cache', {}],
  ['a cache for each', { requestTokens: 1024 }],
] as const)('%s', async (_, options) => {
  const { engine, ask, send } = await startStarterEngine({
    ...{ parallel: 4, contextTokens: 4096, batchTokens: 64 },
    ...options,
  })

  test('they compute the common beginning once, and answer as each does alone', async () => {
    const alone = []
    for (const name of names) alone.push(await ask(question(name)))
    const before = engine.stats()
    const together = await Promise.all(names.map((name) => ask(question(name), 'same')))
    expect(together.map(({ texts }) => texts)).toEqual(alone.map(({ texts }) => texts))
    const prompt = together[0]?.usage.promptTokens ?? 0
    const computed = engine.stats().decodedPromptTokens - before.decodedPromptTokens
    expect(prompt).toBeGreaterThan(256)
    expect(computed).toBeLessThan(prompt + 3 * 64)
    const cached = together.reduce((sum, { usage }) => sum + usage.cachedTokens, 0)
    expect(computed).toBe(together.reduce((sum, { usage }) => sum + usage.promptTokens, 0) - cached)
  })

  test('of other accounts they share nothing', async () => {
    const replies = await Promise.all(names.map((name) => ask(question(name), `own ${name}`)))
    expect(replies.map(({ usage }) => usage.cachedTokens)).toEqual([0, 0, 0, 0])
  })

  test('the others go on when the first one is cancelled', async () => {
    const first = send(question('nobody'), 'cancelling')
    const others = names.slice(1).map((name) => ask(question(name), 'cancelling'))
    engine.cancel(first.id)
    const replies = await Promise.all(others)
    expect(replies.map(({ finish }) => finish)).toEqual([['length'], ['length'], ['length']])
    expect(engine.stats()).toMatchObject({ running: 0, waiting: 0 })
  })
})

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type PromptDemand, shareBudget } from './share-budget.ts'

function demand(accountId: string, tokens: number): PromptDemand {
  return { accountId, tokens }
}

test('a lone prompt gets the whole budget', () => {
  expect(shareBudget([demand('a', 5000)], 512, 0)).toEqual([512])
})

test('a short prompt is finished beside a long one', () => {
  expect(shareBudget([demand('a', 5000), demand('b', 20)], 512, 0)).toEqual([492, 20])
})

test('accounts share equally, however many prompts one of them sends, and each finishes its first one first', () => {
  const demands = [demand('a', 200), demand('a', 900), demand('a', 900), demand('b', 900)]
  expect(shareBudget(demands, 600, 0)).toEqual([200, 100, 0, 300])
})

test('with more accounts than tokens the turn decides', () => {
  const demands = ['a', 'b', 'c'].map((account) => demand(account, 10))
  expect(shareBudget(demands, 1, 0)).toEqual([1, 0, 0])
  expect(shareBudget(demands, 1, 1)).toEqual([0, 1, 0])
  expect(shareBudget(demands, 2, 2)).toEqual([1, 0, 1])
})

test('never exceeds the budget or a demand, and wastes nothing', () => {
  const demands = fc.array(
    fc.record({ accountId: fc.constantFrom('a', 'b', 'c', 'd'), tokens: fc.integer({ min: 1, max: 3000 }) }),
  )
  fc.assert(
    fc.property(demands, fc.integer({ min: 0, max: 2048 }), fc.nat(1000), (prompts, budget, turn) => {
      const shares = shareBudget(prompts, budget, turn)
      const wanted = prompts.reduce((sum, prompt) => sum + prompt.tokens, 0)
      const given = shares.reduce((sum, share) => sum + share, 0)
      expect(given).toBe(Math.min(budget, wanted))
      shares.forEach((share, index) => {
        expect(share).toBeGreaterThanOrEqual(0)
        expect(share).toBeLessThanOrEqual(prompts[index]?.tokens ?? 0)
      })
    }),
  )
})

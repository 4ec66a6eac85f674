import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type PromptDemand, shareBudget } from './step-policy.ts'

function demand(accountId: string, tokens: number): PromptDemand {
  return { accountId, tokens }
}

function share(demands: PromptDemand[], tokens: number, { limit = tokens, turn = 0 } = {}): number[] {
  return shareBudget(demands, { tokens, limit, turn })
}

test('a lone prompt gets the whole budget', () => {
  expect(share([demand('a', 5000)], 512)).toEqual([512])
})

test('a short prompt is finished beside another account’s long one', () => {
  expect(share([demand('a', 5000), demand('b', 20)], 512)).toEqual([492, 20])
})

test('accounts share equally, however many prompts one of them sends, and each finishes its first ones first', () => {
  const demands = [demand('a', 200), demand('a', 90), demand('a', 900), demand('b', 900)]
  expect(share(demands, 600)).toEqual([200, 90, 0, 300])
})

test('a prompt that does not fit whole waits, unless it is the first or much of the step would be unused', () => {
  expect(share([demand('a', 400), demand('a', 300)], 512)).toEqual([400, 0])
  expect(share([demand('a', 300), demand('a', 300)], 512)).toEqual([300, 212])
  expect(share([demand('a', 5000), demand('a', 10)], 512)).toEqual([512, 0])
})

test('every other step much shorter prompts pass an account’s first one, the shortest first', () => {
  const demands = [demand('a', 5000), demand('a', 90), demand('b', 700), demand('a', 20), demand('a', 2600)]
  expect(share(demands, 1000)).toEqual([500, 0, 500, 0, 0])
  expect(share(demands, 1000, { turn: 1 })).toEqual([390, 90, 500, 20, 0])
  expect(share([demand('a', 5000), demand('a', 600)], 512, { turn: 1 })).toEqual([0, 512])
  expect(share([demand('a', 400), demand('a', 300)], 512, { turn: 1 })).toEqual([400, 0])
  // The first account gets what the others leave.
  const crowd = ['a', 'b', 'c', 'd'].flatMap((account) => [demand(account, 5000), demand(account, 20)])
  expect(share(crowd, 1000, { turn: 1 })).toEqual([230, 20, 230, 20, 230, 20, 230, 20])
  expect(share([demand('a', 5000), demand('a', 800)], 1000, { turn: 1 })).toEqual([200, 800])
})

test('little more than the budget finishes a prompt, within the limit', () => {
  expect(share([demand('a', 76)], 60, { limit: 500 })).toEqual([76])
  expect(share([demand('a', 100)], 60, { limit: 500 })).toEqual([60])
  expect(share([demand('a', 76)], 60, { limit: 70 })).toEqual([60])
})

test('with more accounts than tokens the turn decides', () => {
  const demands = ['a', 'b', 'c'].map((account) => demand(account, 10))
  expect(share(demands, 1)).toEqual([1, 0, 0])
  expect(share(demands, 1, { turn: 1 })).toEqual([0, 1, 0])
  expect(share(demands, 2, { turn: 2 })).toEqual([1, 0, 1])
})

test('never exceeds the limit or a demand, and always goes on', () => {
  const prompts = fc.array(
    fc.record({ accountId: fc.constantFrom('a', 'b', 'c', 'd'), tokens: fc.integer({ min: 1, max: 3000 }) }),
  )
  fc.assert(
    fc.property(prompts, fc.nat(2048), fc.nat(512), fc.nat(1000), (demands, tokens, more, turn) => {
      const shares = share(demands, tokens, { limit: tokens + more, turn })
      const given = shares.reduce((sum, share) => sum + share, 0)
      expect(given).toBeLessThanOrEqual(tokens + more)
      if (demands.length > 0 && tokens > 0) expect(given).toBeGreaterThan(0)
      shares.forEach((share, index) => {
        expect(share).toBeGreaterThanOrEqual(0)
        expect(share).toBeLessThanOrEqual(demands[index]?.tokens ?? 0)
      })
    }),
  )
})

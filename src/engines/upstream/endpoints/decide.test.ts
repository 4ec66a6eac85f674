import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { BreakerState } from './breaker.ts'
import { type Candidate, decide, rankEndpoints, refusedAfterFailure } from './decide.ts'

interface Named extends Candidate {
  readonly name: string
}

function endpoint(
  name: string,
  facts: Partial<Omit<Candidate, 'state'>> & { readonly state?: BreakerState } = {},
): Named {
  const { state = 'closed', ...rest } = facts
  return { name, mayBeUsed: true, outstanding: 0, lastFailureMs: 0, probeAtMs: undefined, ...rest, state: () => state }
}

function decided(...ranked: Named[]): string | undefined {
  return decide(ranked, 64, 0)?.name
}

test('the first gets it up to a quarter and two more than the second has', () => {
  expect(decided(endpoint('first', { outstanding: 12 }), endpoint('second', { outstanding: 8 }))).toBe('first')
  expect(decided(endpoint('first', { outstanding: 13 }), endpoint('second', { outstanding: 8 }))).toBe('second')
  expect(
    decided(
      endpoint('first', { outstanding: 13 }),
      endpoint('second', { outstanding: 8 }),
      endpoint('third', { outstanding: 1 }),
    ),
  ).toBe('third')
})

test('of those that are full none gets it', () => {
  expect(decided(endpoint('first', { outstanding: 64 }), endpoint('second', { outstanding: 63 }))).toBe('second')
  expect(decided(endpoint('first', { outstanding: 64 }), endpoint('second', { outstanding: 64 }))).toBeUndefined()
})

test('open, probing and drained ones get nothing while another is good', () => {
  const good = endpoint('good', { outstanding: 60 })
  expect(decided(endpoint('open', { state: 'open' }), good)).toBe('good')
  expect(decided(endpoint('probing', { state: 'probing' }), good)).toBe('good')
  expect(decided(endpoint('drained', { mayBeUsed: false }), good)).toBe('good')
  expect(decided(endpoint('half-open', { state: 'half-open' }), good)).toBe('half-open')
})

test('where all are open the least recently failed one is tried, by one request at a time', () => {
  const older = endpoint('older', { state: 'open', lastFailureMs: 10 })
  expect(decided(endpoint('newer', { state: 'open', lastFailureMs: 20 }), older)).toBe('older')
  expect(decided(endpoint('newer', { state: 'probing', lastFailureMs: 20 }), older)).toBeUndefined()
})

test('after a failure only those wait for whom something else than open breakers is left', () => {
  const open = (probeAtMs: number) => endpoint('open', { state: 'open', probeAtMs })
  expect(refusedAfterFailure([open(9_000), open(7_000)], 2_000)).toBe(5_000)
  expect(refusedAfterFailure([], 2_000)).toBeUndefined()
  expect(refusedAfterFailure([open(9_000), endpoint('probing', { state: 'probing' })], 2_000)).toBeUndefined()
})

test('the choice is the first within the bound, or one with the fewest of those with room', () => {
  const some = fc.array(fc.nat(20), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(some, fc.integer({ min: 1, max: 20 }), (counts, most) => {
      const ranked = counts.map((outstanding, index) => endpoint(String(index), { outstanding }))
      const chosen = decide(ranked, most, 0)
      const free = counts.filter((count) => count < most)
      if (chosen === undefined) return expect(free).toBeEmpty()
      const isFirst = chosen.name === '0' && chosen.outstanding <= (counts[1] ?? Number.POSITIVE_INFINITY) * 1.25 + 2
      expect(isFirst || chosen.outstanding === Math.min(...free)).toBe(true)
      expect(chosen.outstanding).toBeLessThan(most)
    }),
  )
})

const servers = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ url: `http://10.0.0.${name}:8000/v1` }))
const requests = Array.from({ length: 10_000 }, (_, index) => ({
  account: `acc_${index % 100}`,
  prompt: `Conversation ${index} begins.`,
}))

function firsts(of: typeof servers): string[] {
  return requests.map(({ account, prompt }) => rankEndpoints(of, account, prompt)[0]?.url ?? '')
}

test('each endpoint is first with an equal share', () => {
  const counts = Object.values(Object.groupBy(firsts(servers), (url) => url)).map((each) => each?.length ?? 0)
  for (const count of counts) expect(count).toBeWithin(1_800, 2_200)
})

test('an endpoint that is removed moves its own requests alone, and evenly', () => {
  const [gone, ...others] = servers
  const before = firsts(servers)
  const later = firsts(others)
  const moved = later.filter((url, index) => url !== before[index])
  expect(moved).toHaveLength(before.filter((url) => url === gone?.url).length)
  for (const { url } of others) expect(moved.filter((each) => each === url).length).toBeWithin(400, 600)
})

test('account and beginning decide; what comes after 2,048 characters does not', () => {
  const long = 'x'.repeat(2_048)
  const order = (account: string, prompt: string) => rankEndpoints(servers, account, prompt).map(({ url }) => url)
  expect(order('a', `${long}1`)).toEqual(order('a', `${long}2`))
  const orders = (pairs: [string, string][]) => new Set(pairs.map(([account, prompt]) => order(account, prompt).join()))
  expect(orders(requests.slice(0, 30).map(({ account }) => [account, long])).size).toBeGreaterThan(10)
  expect(orders(requests.slice(0, 30).map(({ prompt }) => ['a', prompt])).size).toBeGreaterThan(10)
})

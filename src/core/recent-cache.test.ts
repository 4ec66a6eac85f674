import { expect, test } from 'bun:test'
import { RecentCache, type RecentCacheOptions } from './recent-cache.ts'

/** Returns a cache for ten values of one byte an account, twenty in all. */
function cache(options: Partial<RecentCacheOptions> = {}) {
  const time = { ms: 0 }
  const kept = new RecentCache<string>({
    keepMs: 60_000,
    bytesPerAccount: 10,
    bytes: 20,
    clock: () => time.ms,
    ...options,
  })
  /** Keeps a value of one byte for each key, which begins with its account's letter. */
  const keep = (...keys: readonly string[]) => {
    for (const key of keys) kept.keep(key, key.slice(0, 1), `value of ${key}`, 1)
  }
  /** Returns the keys that have their value, which counts as use in this order. */
  const found = (...keys: readonly string[]) => keys.filter((key) => kept.find(key) === `value of ${key}`)
  return { kept, time, keep, found }
}

const keys = (account: string, count: number) => Array.from({ length: count }, (_, index) => `${account}${index}`)

test('a value is forgotten when it was not used for so long', () => {
  const { kept, time, keep, found } = cache()
  keep('a1', 'a2')
  time.ms = 59_999
  expect(found('a1')).toEqual(['a1'])
  time.ms = 60_000
  expect(found('a1', 'a2')).toEqual(['a1'])
  expect(kept.bytes).toBe(1)
  time.ms = 120_000
  expect(found('a1')).toEqual([])
  expect(kept.bytes).toBe(0)
})

test('a value is forgotten in time also when nobody asks', async () => {
  const { kept, keep } = cache({ keepMs: 5, clock: () => performance.now() })
  keep('a1')
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setInterval(() => kept.bytes === 0 && resolve(), 1)
  await promise
  clearInterval(timer)
})

test('an account beyond its limit loses the values that it used least recently', () => {
  const { keep, found } = cache()
  keep('b0', ...keys('a', 10))
  found('a0')
  keep('a10')
  expect(found('a0', 'a1', 'a2', 'a10', 'b0')).toEqual(['a0', 'a2', 'a10', 'b0'])
})

test('beyond the limit of all, the account with the most bytes loses its own', () => {
  const { kept, keep, found } = cache()
  keep(...keys('a', 9), ...keys('b', 8), ...keys('c', 3))
  expect(kept.bytes).toBe(20)
  keep('c3')
  expect(found(...keys('a', 9))).toEqual(keys('a', 9).slice(1))
  keep('c4', 'c5')
  expect(found(...keys('c', 6))).toEqual(keys('c', 6))
  expect(found(...keys('a', 9), ...keys('b', 8))).toHaveLength(14)
})

test("a value larger than the limit of an account is not kept, and takes nobody's place", () => {
  const { kept, keep, found } = cache()
  keep('a1')
  kept.keep('a2', 'a', 'large', 11)
  expect(kept.find('a2')).toBeUndefined()
  expect(found('a1')).toEqual(['a1'])
})

test('a value that is kept again counts once', () => {
  const { kept, keep } = cache()
  keep('a1', 'a1')
  kept.keep('a1', 'b', 'other', 4)
  expect([kept.find('a1'), kept.bytes]).toEqual(['other', 4])
})

test('nothing is kept when that is switched off, or after all was forgotten', () => {
  const off = cache({ keepMs: 0 })
  off.keep('a1')
  expect(off.found('a1')).toEqual([])
  const { kept, keep, found } = cache()
  keep('a1')
  kept.clear()
  expect([found('a1'), kept.bytes]).toEqual([[], 0])
})

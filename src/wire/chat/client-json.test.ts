import { expect, test } from 'bun:test'
import { isDeeperThan } from './client-json.ts'

test.each<[string, number]>([
  ['1', 0],
  ['"text"', 0],
  ['null', 0],
  ['[]', 1],
  ['{"a": 1}', 1],
  ['[1, [2], {"b": null}]', 2],
  ['{"a": [{"__proto__": {"b": []}}]}', 5],
])('%s is nested %d deep', (json, depth) => {
  const value: unknown = JSON.parse(json)
  expect(isDeeperThan(value, depth)).toBe(false)
  if (depth > 0) expect(isDeeperThan(value, depth - 1)).toBe(true)
})

test('depth does not matter to it, nor does width', () => {
  expect(isDeeperThan(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)), 99_999)).toBe(true)
  expect(isDeeperThan(JSON.parse(`[${'{},'.repeat(500_000)}{}]`), 2)).toBe(false)
})

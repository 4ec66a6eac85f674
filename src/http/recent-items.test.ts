import { expect, test } from 'bun:test'
import { RecentItems, type RecentItemsOptions } from './recent-items.ts'

/** Bytes of one item. Ten such items fit per account, twenty in all. */
const size = 1_000
function recentItems(options: Partial<RecentItemsOptions> = {}) {
  const time = { ms: 0 }
  const items = new RecentItems({
    keepMs: 60_000,
    bytesPerAccount: 10 * size,
    bytes: 20 * size,
    clock: () => time.ms,
    ...options,
  })
  return { items, time }
}

/** Returns an item of `size` bytes: half a kilobyte besides its text, and two bytes per character. */
function item(id: string) {
  const text = 'x'.repeat((size - 512) / 2 - JSON.stringify({ id, text: '' }).length)
  return { id, text }
}

const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index + 10}`)

test('an item is found by its account alone', () => {
  const { items } = recentItems()
  items.keep('acc_1', item('msg_1'))
  expect(items.find('acc_1', 'msg_1')).toEqual(item('msg_1'))
  expect(items.find('acc_2', 'msg_1')).toBeUndefined()
  expect(items.find('acc_1', 'msg_2')).toBeUndefined()
})

test('an item is forgotten when it was not used for so long', () => {
  const { items, time } = recentItems()
  items.keep('acc_1', item('msg_1'))
  items.keep('acc_1', item('msg_2'))
  time.ms = 59_999
  expect(items.find('acc_1', 'msg_1')).toBeDefined()
  time.ms = 60_000
  expect(items.find('acc_1', 'msg_2')).toBeUndefined()
  expect(items.find('acc_1', 'msg_1')).toBeDefined()
  expect(items.bytes).toBe(size)
  time.ms = 120_000
  expect(items.find('acc_1', 'msg_1')).toBeUndefined()
  expect(items.bytes).toBe(0)
})

test('an item is forgotten in time also when nobody asks', async () => {
  const items = new RecentItems({ keepMs: 5, bytesPerAccount: 10 * size, bytes: 20 * size, clock: performance.now })
  items.keep('acc_1', item('msg_1'))
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setInterval(() => items.bytes === 0 && resolve(), 1)
  await promise
  clearInterval(timer)
})

test('an account that keeps more than its share loses the items that it used least recently', () => {
  const { items } = recentItems()
  items.keep('acc_2', item('old'))
  for (const id of ids('m', 10)) items.keep('acc_1', item(id))
  items.find('acc_1', 'm10')
  items.keep('acc_1', item('m20'))
  expect(['m10', 'm11', 'm12', 'm20'].map((id) => items.find('acc_1', id) !== undefined)).toEqual([
    true,
    false,
    true,
    true,
  ])
  expect(items.find('acc_2', 'old')).toBeDefined()
})

test('all accounts together keep no more than their bound', () => {
  const { items } = recentItems()
  for (const account of ['a', 'b', 'c']) for (const id of ids(account, 8)) items.keep(account, item(id))
  expect(items.bytes).toBe(20 * size)
  expect(ids('a', 8).filter((id) => items.find('a', id) !== undefined)).toEqual(['a14', 'a15', 'a16', 'a17'])
  expect(ids('c', 8).every((id) => items.find('c', id) !== undefined)).toBe(true)
})

test("an item larger than the share of an account is not kept, and takes nobody's place", () => {
  const { items } = recentItems()
  items.keep('acc_1', item('msg_1'))
  items.keep('acc_1', { id: 'large', text: 'x'.repeat(10 * size) })
  expect(items.find('acc_1', 'large')).toBeUndefined()
  expect(items.find('acc_1', 'msg_1')).toBeDefined()
})

test('probabilities of tokens are not kept', () => {
  const { items } = recentItems()
  items.keep('acc_1', { id: 'msg_1', content: [{ text: 'a', logprobs: [{ token: 'a' }] }] })
  expect(items.find('acc_1', 'msg_1')).toEqual({ id: 'msg_1', content: [{ text: 'a' }] })
})

test('nothing is kept when that is switched off, or after all was forgotten', () => {
  const { items } = recentItems({ keepMs: 0 })
  items.keep('acc_1', item('msg_1'))
  expect(items.find('acc_1', 'msg_1')).toBeUndefined()
  const others = recentItems().items
  others.keep('acc_1', item('msg_1'))
  others.clear()
  expect([others.find('acc_1', 'msg_1'), others.bytes]).toEqual([undefined, 0])
})

import { expect, test } from 'bun:test'
import { RecentItems, recentItemsDefaults } from './recent-items.ts'

test('an item is found by its account alone', () => {
  const items = new RecentItems(recentItemsDefaults)
  items.keep('acc_1', { id: 'msg_1', text: 'a' })
  items.keep('acc_2', { id: 'msg_1', text: 'b' })
  expect(items.find('acc_1', 'msg_1')).toEqual({ id: 'msg_1', text: 'a' })
  expect(items.find('acc_2', 'msg_1')).toEqual({ id: 'msg_1', text: 'b' })
  expect(items.find('acc_3', 'msg_1')).toBeUndefined()
  expect(items.find('acc_1', 'msg_2')).toBeUndefined()
})

test('items count two bytes a character and half a kilobyte, and go beyond the limit of their account', () => {
  const items = new RecentItems({ ...recentItemsDefaults, bytesPerAccount: 3_000 })
  const item = (id: string, text: string) => ({ id, text })
  const room = (1_000 - 512) / 2 - JSON.stringify(item('m1', '')).length
  for (const id of ['m1', 'm2', 'm3']) items.keep('acc_1', item(id, 'x'.repeat(room)))
  expect(items.find('acc_1', 'm1')).toBeDefined()
  items.keep('acc_1', item('m4', ''))
  expect(['m1', 'm2', 'm3', 'm4'].filter((id) => items.find('acc_1', id) !== undefined)).toEqual(['m1', 'm3', 'm4'])
})

test('log probabilities are not kept', () => {
  const items = new RecentItems(recentItemsDefaults)
  items.keep('acc_1', { id: 'msg_1', content: [{ text: 'a', logprobs: [{ token: 'a' }] }] })
  expect(items.find('acc_1', 'msg_1')).toEqual({ id: 'msg_1', content: [{ text: 'a' }] })
})

test('nothing is found after all was forgotten', () => {
  const items = new RecentItems(recentItemsDefaults)
  items.keep('acc_1', { id: 'msg_1' })
  items.clear()
  expect(items.find('acc_1', 'msg_1')).toBeUndefined()
})

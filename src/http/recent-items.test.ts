import { expect, test } from 'bun:test'
import { ownerOf } from '../core/owner.ts'
import { RecentItems, recentItemsDefaults } from './recent-items.ts'

const ann = ownerOf({ accountId: 'acc_1', holderId: 'acc_ann' })
const bob = ownerOf({ accountId: 'acc_1', holderId: 'acc_bob' })
const nobody = ownerOf({ accountId: 'acc_1' })

test('an item is found by its owner alone, also among holders of one account’s keys', () => {
  const items = new RecentItems(recentItemsDefaults)
  items.keep(ann, { id: 'msg_1', text: 'a' })
  items.keep(bob, { id: 'msg_1', text: 'b' })
  expect(items.find(ann, 'msg_1')).toEqual({ id: 'msg_1', text: 'a' })
  expect(items.find(bob, 'msg_1')).toEqual({ id: 'msg_1', text: 'b' })
  expect(items.find(nobody, 'msg_1')).toBeUndefined()
  expect(items.find(ann, 'msg_2')).toBeUndefined()
})

test('items count two bytes a character and half a kilobyte, and go beyond the limit of their owner', () => {
  const items = new RecentItems({ ...recentItemsDefaults, bytesPerAccount: 3_000 })
  const item = (id: string, text: string) => ({ id, text })
  const room = (1_000 - 512) / 2 - JSON.stringify(item('m1', '')).length
  for (const id of ['m1', 'm2', 'm3']) items.keep(ann, item(id, 'x'.repeat(room)))
  expect(items.find(ann, 'm1')).toBeDefined()
  items.keep(ann, item('m4', ''))
  expect(['m1', 'm2', 'm3', 'm4'].filter((id) => items.find(ann, id) !== undefined)).toEqual(['m1', 'm3', 'm4'])
})

test('log probabilities are not kept', () => {
  const items = new RecentItems(recentItemsDefaults)
  items.keep(ann, { id: 'msg_1', content: [{ text: 'a', logprobs: [{ token: 'a' }] }] })
  expect(items.find(ann, 'msg_1')).toEqual({ id: 'msg_1', content: [{ text: 'a' }] })
})

test('nothing is found after all was forgotten', () => {
  const items = new RecentItems(recentItemsDefaults)
  items.keep(ann, { id: 'msg_1' })
  items.clear()
  expect(items.find(ann, 'msg_1')).toBeUndefined()
})

import { expect, test } from 'bun:test'
import { FairQueue } from './fair-queue.ts'

function drain(queue: FairQueue<string>): string[] {
  const items: string[] = []
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item)
  return items
}

test('serves accounts in turn and each in its own order', () => {
  const queue = new FairQueue<string>()
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.push(item.slice(0, 1), item)
  expect(queue.size).toBe(6)
  expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
})

test('what was put back comes first again, before its account’s others', () => {
  const queue = new FairQueue<string>()
  for (const item of ['a1', 'b1', 'b2']) queue.push(item.slice(0, 1), item)
  queue.unshift('b', 'b0')
  expect(drain(queue)).toEqual(['b0', 'a1', 'b1', 'b2'])
})

test('an account that was just served lets a newcomer go first', () => {
  const queue = new FairQueue<string>()
  queue.push('a', 'a1')
  expect(queue.shift()).toBe('a1')
  for (const item of ['a2', 'b1', 'a3']) queue.push(item.slice(0, 1), item)
  expect(drain(queue)).toEqual(['b1', 'a2', 'a3'])
})

test('removed items are gone and leave no empty account behind', () => {
  const queue = new FairQueue<string>()
  for (const item of ['a1', 'b1', 'b2']) queue.push(item.slice(0, 1), item)
  queue.remove((item) => item === 'a1' || item === 'b1')
  expect(queue.accounts()).toEqual(['b'])
  expect(drain(queue)).toEqual(['b2'])
})

test('takes the next item of one account out of turn', () => {
  const queue = new FairQueue<string>()
  for (const item of ['a1', 'b1', 'b2']) queue.push(item.slice(0, 1), item)
  expect(queue.shift('b')).toBe('b1')
  expect(queue.accounts()).toEqual(['a', 'b'])
  expect(drain(queue)).toEqual(['a1', 'b2'])
})

test('what was given back after a turn is its account’s next, and other accounts go first', () => {
  const queue = new FairQueue<string>()
  queue.push('a', 'a1')
  queue.shift()
  for (const item of ['b1', 'c1', 'a2']) queue.push(item.slice(0, 1), item)
  queue.shift('b')
  queue.giveBack('b', 'b1')
  expect(drain(queue)).toEqual(['c1', 'a2', 'b1'])
})

import { expect, test } from 'bun:test'
import { WeightedFairQueue } from './weighted-fair-queue.ts'

function drain(queue: WeightedFairQueue<string>): string[] {
  const taken: string[] = []
  for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next)
  return taken
}

test('items of one account come in their order', () => {
  const queue = new WeightedFairQueue<string>()
  for (const item of ['a', 'b', 'c']) queue.add('one', 5, item)
  expect(drain(queue)).toEqual(['a', 'b', 'c'])
})

test('accounts take turns however many items one has waiting', () => {
  const queue = new WeightedFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add('a', 10, item)
  for (const item of ['b1', 'b2']) queue.add('b', 10, item)
  expect(drain(queue)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4'])
})

test('a cheap item passes the costly ones of many accounts', () => {
  const queue = new WeightedFairQueue<string>()
  for (let account = 0; account < 64; account++) queue.add(`account ${account}`, 3_000_000, 'costly')
  expect(queue.take()).toBe('costly')
  queue.add('payer', 85_000, 'cheap')
  expect(queue.take()).toBe('cheap')
})

test('a costly item comes in its turn though cheap ones keep coming', () => {
  const queue = new WeightedFairQueue<string>()
  queue.add('a', 1_000, 'costly')
  let taken = 0
  do queue.add('b', 10, 'cheap')
  while (queue.take() !== 'costly' && ++taken < 1_000)
  expect(taken).toBeWithin(90, 300)
})

test('what is not allowed waits, and can be taken out', () => {
  const queue = new WeightedFairQueue<string>()
  const leave = queue.add('a', 1, 'a')
  queue.add('b', 2, 'b')
  expect(queue.take((item) => item !== 'a')).toBe('b')
  leave()
  expect(queue.take()).toBeUndefined()
})

test('an account that comes back has not forgotten what it had, while others wait', () => {
  const queue = new WeightedFairQueue<string>()
  queue.add('a', 10, 'a1')
  queue.add('b', 12, 'b1')
  queue.add('b', 100, 'b2')
  queue.add('d', 200, 'd')
  expect([queue.take(), queue.take()]).toEqual(['a1', 'b1'])
  queue.add('a', 10, 'a2')
  queue.add('c', 10.5, 'c')
  expect(drain(queue)).toEqual(['c', 'a2', 'b2', 'd'])
})

test('time goes on by the number of accounts, however many items they have', () => {
  const queue = new WeightedFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3']) queue.add('a', 10, item)
  queue.add('b', 10, 'b')
  expect(queue.take()).toBe('a1')
  queue.add('c', 5.5, 'c')
  expect(drain(queue)).toEqual(['b', 'c', 'a2', 'a3'])
})

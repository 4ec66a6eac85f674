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

test('of two that are as far, the account that was just served lets the other go first', () => {
  const queue = new WeightedFairQueue<string>()
  queue.add('a', 1, 'a1')
  expect(queue.take()).toBe('a1')
  for (const item of ['a2', 'b1', 'a3']) queue.add(item.slice(0, 1), 1, item)
  expect(queue.accounts()).toEqual(['b', 'a'])
  expect(drain(queue)).toEqual(['b1', 'a2', 'a3'])
})

test('takes the next item of one account out of turn', () => {
  const queue = new WeightedFairQueue<string>()
  for (const item of ['a1', 'b1', 'b2']) queue.add(item.slice(0, 1), 1, item)
  expect([queue.takeFrom('b'), queue.takeFrom('c')]).toEqual(['b1', undefined])
  expect(queue.accounts()).toEqual(['a', 'b'])
  expect(drain(queue)).toEqual(['a1', 'b2'])
})

test('what was taken too early comes first again, before its account’s others, and costs nothing', () => {
  const queue = new WeightedFairQueue<string>()
  for (const item of ['a1', 'b1', 'b2']) queue.add(item.slice(0, 1), 1, item)
  queue.putBack('b', 'b0')
  queue.putBack('b', 'b00')
  expect(queue.accounts()).toEqual(['b', 'a'])
  expect(drain(queue)).toEqual(['b00', 'b0', 'a1', 'b1', 'b2'])
})

test('what was taken too early comes first even where its account had more than others', () => {
  const queue = new WeightedFairQueue<string>()
  for (const item of ['a1', 'a2', 'b1']) queue.add(item.slice(0, 1), 10, item)
  expect([queue.takeFrom('a'), queue.takeFrom('a')]).toEqual(['a1', 'a2'])
  queue.putBack('a', 'a2')
  expect(drain(queue)).toEqual(['a2', 'b1'])
})

test('what was put back after a turn is its account’s next, and other accounts go first', () => {
  const queue = new WeightedFairQueue<string>()
  queue.add('a', 1, 'a1')
  queue.take()
  for (const item of ['b1', 'c1', 'a2', 'b2']) queue.add(item.slice(0, 1), 1, item)
  queue.takeFrom('b')
  const leave = queue.putBack('b', 'b1', 1)
  expect(queue.accounts()).toEqual(['c', 'a', 'b'])
  expect([queue.take(), queue.take(), queue.take()]).toEqual(['c1', 'a2', 'b1'])
  leave()
  expect([queue.size, queue.take(), queue.size]).toEqual([1, 'b2', 0])
})

test('an account whose item is put back after a turn was the last that had one', () => {
  const queue = new WeightedFairQueue<string>()
  for (const item of ['a1', 'b1']) {
    queue.add(item.slice(0, 1), 1, item)
    expect(queue.take()).toBe(item)
  }
  queue.putBack('a', 'a1', 1)
  queue.add('b', 1, 'b2')
  expect(drain(queue)).toEqual(['b2', 'a1'])
})

test('removed items leave no empty account behind', () => {
  const queue = new WeightedFairQueue<string>()
  const [a1, b1] = ['a1', 'b1', 'b2'].map((item) => queue.add(item.slice(0, 1), 1, item))
  a1?.()
  b1?.()
  expect(queue.accounts()).toEqual(['b'])
  expect(drain(queue)).toEqual(['b2'])
})

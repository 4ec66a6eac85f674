import { expect, test } from 'bun:test'
import { EventQueue } from './event-queue.ts'

async function collect<Value>(queue: EventQueue<Value>): Promise<{ values: Value[]; error: unknown }> {
  const values: Value[] = []
  try {
    for (let taken = await queue.take(); taken.length > 0; taken = await queue.take()) values.push(...taken)
  } catch (error) {
    return { values, error }
  }
  return { values, error: undefined }
}

test('delivers values pushed before and while it is read, in order', async () => {
  const queue = new EventQueue<number>()
  queue.push(1)
  const collected = collect(queue)
  await Promise.resolve()
  queue.push(2)
  queue.push(3)
  queue.end()
  expect(await collected).toEqual({ values: [1, 2, 3], error: undefined })
})

test('delivers what was pushed before a failure, then throws it', async () => {
  const queue = new EventQueue<number>()
  queue.push(1)
  queue.fail('broken')
  expect(await collect(queue)).toEqual({ values: [1], error: 'broken' })
})

test('a failure after the end changes nothing', async () => {
  const queue = new EventQueue<number>()
  queue.push(1)
  queue.end()
  queue.fail('late')
  expect(await collect(queue)).toEqual({ values: [1], error: undefined })
})

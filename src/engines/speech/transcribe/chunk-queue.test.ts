import { expect, test } from 'bun:test'
import { ChunkQueue } from './chunk-queue.ts'

/** Begins all that may begin. */
function takeAll(queue: ChunkQueue<string>): string[] {
  const taken: string[] = []
  for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next.item)
  return taken
}

function end(queue: ChunkQueue<string>, count: number): void {
  for (let ended = 0; ended < count; ended++) queue.release()
}

/** Ends what runs, one after the other, and says in which order all begin. */
function order(queue: ChunkQueue<string>): string[] {
  const begun = takeAll(queue)
  for (let running = begun.length; running > 0; running--) {
    queue.release()
    const more = takeAll(queue)
    begun.push(...more)
    running += more.length
  }
  return begun
}

test('as many begin as there are lanes', () => {
  const queue = new ChunkQueue<string>(2)
  for (const item of ['a', 'b', 'c', 'd']) queue.add('acc', 10, '', item)
  expect(takeAll(queue)).toEqual(['a', 'b'])
  queue.setLanes(1)
  end(queue, 1)
  expect(takeAll(queue)).toEqual([])
  end(queue, 1)
  expect(takeAll(queue)).toEqual(['c'])
})

test('an account with many chunks does not hold up another', () => {
  const queue = new ChunkQueue<string>(1)
  for (let chunk = 0; chunk < 5; chunk++) queue.add('acc_1', 10, '', `many ${chunk}`)
  for (let chunk = 0; chunk < 2; chunk++) queue.add('acc_2', 10, '', `few ${chunk}`)
  expect(order(queue).slice(0, 4).toSorted()).toEqual(['few 0', 'few 1', 'many 0', 'many 1'])
})

test('what was taken out does not begin', () => {
  const queue = new ChunkQueue<string>(1)
  const remove = queue.add('acc', 10, '', 'a')
  queue.add('acc', 10, '', 'b')
  remove()
  expect(order(queue)).toEqual(['b'])
})

test('another language waits for empty lanes, and its first chunk is alone', () => {
  const queue = new ChunkQueue<string>(2)
  queue.add('acc_1', 10, '', 'any')
  for (const item of ['de 1', 'de 2', 'de 3']) queue.add('acc_2', 10, 'de', item)
  expect(takeAll(queue)).toEqual(['any'])
  end(queue, 1)
  expect(queue.take()).toEqual({ item: 'de 1', newLanguage: 'de' })
  expect(queue.take()).toBeUndefined()
  end(queue, 1)
  expect(queue.take()).toEqual({ item: 'de 2', newLanguage: undefined })
  expect(queue.take()).toEqual({ item: 'de 3', newLanguage: undefined })
})

test('finding out the language again is a change too', () => {
  const queue = new ChunkQueue<string>(2)
  queue.add('acc_1', 10, 'de', 'de')
  expect(queue.take()?.newLanguage).toBe('de')
  for (const item of ['any 1', 'any 2']) queue.add('acc_2', 10, '', item)
  end(queue, 1)
  expect(queue.take()).toEqual({ item: 'any 1', newLanguage: '' })
  expect(queue.take()).toBeUndefined()
})

test('a language whose turn has come is not held up by another', () => {
  const queue = new ChunkQueue<string>(2)
  for (let chunk = 0; chunk < 20; chunk++) queue.add('acc_1', 10, 'en', `en ${chunk}`)
  queue.add('acc_2', 10, 'de', 'de')
  expect(order(queue).indexOf('de')).toBeLessThan(4)
})

test('a chunk that waits for its language can be taken out', () => {
  const queue = new ChunkQueue<string>(2)
  queue.add('acc_1', 10, 'en', 'en')
  expect(takeAll(queue)).toEqual(['en'])
  end(queue, 1)
  queue.add('acc_1', 10, 'en', 'en 2')
  const remove = queue.add('acc_2', 10, 'de', 'de')
  expect(takeAll(queue)).toEqual(['en 2'])
  remove()
  queue.add('acc_1', 10, 'en', 'en 3')
  end(queue, 1)
  expect(takeAll(queue)).toEqual(['en 3'])
})

import { expect, test } from 'bun:test'
import { shareThreads } from './share-threads.ts'

const megabyte = 2 ** 20

test.each([
  ['one thread', 1, 10 * megabyte, 2, 1, 1],
  ['two threads', 2, 10 * megabyte, 2, 1, 2],
  ['two threads that compute best alone', 2, 10 * megabyte, 1, 2, 1],
  ['a small model on many cores', 15, 10 * megabyte, 2, 7, 2],
  ['one of which few copies may be made', 15, 500 * megabyte, 2, 3, 5],
  ['a large model', 15, 2000 * megabyte, 2, 1, 15],
])('%s', (_, threads, modelBytes, together, sessions, threadsPerSession) => {
  expect(shareThreads(threads, modelBytes, together)).toEqual({ sessions, threadsPerSession })
})

import { expect, test } from 'bun:test'
import { WorkerThread } from './worker-thread.ts'

function start() {
  const ended = Promise.withResolvers<string>()
  const thread = new WorkerThread<string, string>({
    program: 'testing/echo-worker.ts',
    name: 'the thread that echoes',
    onEnd: ended.resolve,
  })
  const ask = (word: string, signal?: AbortSignal) =>
    thread.ask(word, { signal }).catch((error: Error) => `rejected: ${error.message}`)
  return { thread, ask, ended: ended.promise, [Symbol.dispose]: () => thread[Symbol.dispose]() }
}

test('answers come in the order of the messages', async () => {
  using echo = start()
  const words = ['a', 'b', 'c', 'd']
  expect(await Promise.all(words.map((word) => echo.thread.ask(word)))).toEqual(words)
})

test('who gives up takes no answer of another message', async () => {
  using echo = start()
  const giving = new AbortController()
  const first = echo.ask('first', giving.signal)
  const second = echo.ask('second')
  giving.abort(new Error('no longer wanted'))
  expect(await Promise.all([first, second])).toEqual(['rejected: no longer wanted', 'second'])
  expect(await echo.ask('third', giving.signal)).toBe('rejected: no longer wanted')
})

test('a thread that ends by itself rejects what waits and what comes', async () => {
  using echo = start()
  const waiting = echo.ask('silent')
  echo.thread.tell('end')
  expect(await echo.ended).toBe('the thread that echoes has ended')
  expect(await waiting).toBe('rejected: the thread that echoes has ended')
  expect(await echo.ask('more')).toBe('rejected: the thread that echoes has ended')
})

test('a thread that throws is told with its message', async () => {
  using echo = start()
  expect(await echo.ask('throw')).toContain('thrown on purpose')
  expect(await echo.ended).toContain('the thread that echoes has failed: ')
})

test('a thread that is closed rejects what waits, and reports no end of its own', async () => {
  const echo = start()
  let reported = false
  void echo.ended.then(() => {
    reported = true
  })
  const waiting = echo.ask('silent')
  echo.thread[Symbol.dispose]()
  expect(await waiting).toBe('rejected: the thread that echoes was stopped')
  using other = start()
  expect(await other.ask('later')).toBe('later')
  expect(reported).toBe(false)
})

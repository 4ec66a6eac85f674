import { expect, test } from 'bun:test'
import { EventStream } from './event-stream.ts'

test('a state that was not sent yet is replaced by the next one of its key', async () => {
  const stream = new EventStream()
  stream.set('machine', { at: 1 })
  stream.set('engines', [{ model: 'a' }], 'a')
  stream.set('engines', [{ model: 'b' }], 'b')
  stream.set('machine', { at: 2 })
  stream.set('engines', [{ model: 'a', running: 1 }], 'a')
  expect(await stream.take()).toEqual([
    'event: engines\ndata: [{"model":"b"}]\n\n',
    'event: machine\ndata: {"at":2}\n\n',
    'event: engines\ndata: [{"model":"a","running":1}]\n\n',
  ])
})

test('a client that does not read costs a bounded number of events, and hears how many it missed', async () => {
  const stream = new EventStream()
  for (let id = 0; id < 100_000; id++) {
    stream.add('request', { id })
    stream.set('rates', { at: id })
  }
  const frames = await stream.take()
  expect(frames.length).toBe(257)
  expect(frames[0]).toBe('event: rates\ndata: {"at":99999}\n\n')
  expect(frames[1]).toBe('event: request\ndata: {"id":99744,"skipped":99744}\n\n')
  expect(frames.at(-1)).toBe('event: request\ndata: {"id":99999}\n\n')
})

test('what is put wakes the reader that waits', async () => {
  const stream = new EventStream()
  const taken = stream.take()
  stream.add('request', { id: 1 })
  expect(await taken).toEqual(['event: request\ndata: {"id":1}\n\n'])
})

test('a ping is sent only where nothing else waits', async () => {
  const stream = new EventStream()
  stream.ping()
  expect(await stream.take()).toEqual([': ping\n\n'])
  stream.ping()
  stream.add('log', { text: 'a' })
  expect(await stream.take()).toEqual(['event: log\ndata: {"text":"a"}\n\n'])
})

test('the last event says why the server ends the stream', async () => {
  const stream = new EventStream()
  stream.set('rates', { at: 1 })
  stream.end('stopping')
  expect(await stream.take()).toEqual([
    'event: rates\ndata: {"at":1}\n\n',
    'event: bye\ndata: {"reason":"stopping"}\n\n',
  ])
  stream.set('rates', { at: 2 })
  stream.add('log', { text: 'late' })
  expect(await stream.take()).toEqual([])
})

test('a stream that ends by itself says nothing', async () => {
  const stream = new EventStream()
  const taken = stream.take()
  stream.end()
  expect(await taken).toEqual([])
})

import { expect, test } from 'bun:test'
import { ServerEventParser } from './sse-parser.ts'

const stream = ': ping\n\nevent: machine\ndata: {"a":1}\n\ndata: one\ndata: two\r\n\r\nevent: empty\n\n'
const events = [
  { event: 'machine', data: '{"a":1}' },
  { event: 'message', data: 'one\ntwo' },
]

test('comments and events without data are left out', () => {
  expect(new ServerEventParser().push(stream)).toEqual(events)
})

test('events are the same wherever the stream is cut', () => {
  for (let cut = 1; cut < stream.length; cut += 1) {
    const parser = new ServerEventParser()
    expect([...parser.push(stream.slice(0, cut)), ...parser.push(stream.slice(cut))]).toEqual(events)
  }
})

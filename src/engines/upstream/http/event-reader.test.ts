import { describe, expect, test } from 'bun:test'
import { EventReader } from './event-reader.ts'

const limits = { lineBytes: 1000, eventBytes: 3000, gapBytes: 100_000 }
const bytesOf = (text: string) => new TextEncoder().encode(text)

/** Returns the events of a stream that arrives in these pieces. */
function eventsOf(pieces: readonly Uint8Array[]): string[] {
  const reader = new EventReader(limits)
  const events = pieces.flatMap((piece) => reader.read(piece))
  return [...events, ...reader.end()]
}

test.each<[name: string, stream: string, events: string[]]>([
  ['one event', 'data: a\n\n', ['a']],
  ['lines that end as on other systems', 'data: a\r\n\r\ndata: b\r\rdata: c\n\n', ['a', 'b', 'c']],
  ['mixed ends of lines', 'data: a\r\n\ndata: b\n\r\ndata: c\r\n\rdata: d\n\n', ['a', 'b', 'c', 'd']],
  ['several lines of data', 'data: a\ndata: b\ndata:\ndata: c\n\n', ['a\nb\n\nc']],
  ['data without a space', 'data:a\n\ndata:  b\n\n', ['a', ' b']],
  ['data without a colon', 'data\n\n', ['']],
  ['empty data', 'data:\n\ndata: \n\n', ['', '']],
  ['comments', ': OPENROUTER PROCESSING\n\n:\n\ndata: a\n: b\n\n', ['a']],
  ['other fields', 'event: x\nid: 1\nretry: 5\ndata: a\nfoo: b\n\nevent: y\n\n', ['a']],
  ['fields that begin like data', 'database: a\ndat: b\nDATA: c\n data: d\n\n', []],
  ['a byte order mark', '\ufeffdata: a\n\n', ['a']],
  ['marks that are text', 'data: \ufeffa\n\ndata: b\ufeff\n\n', ['\ufeffa', 'b\ufeff']],
  ['a last event without its blank line', 'data: a\n\ndata: b\n', ['a', 'b']],
  ['a last line without its end', 'data: a\n\ndata: [DONE]', ['a', '[DONE]']],
  ['characters of every length', 'data: aé€😀\n\n', ['aé€😀']],
  ['colons and line separators in data', 'data: a: b\u2028c\u0085\n\n', ['a: b\u2028c\u0085']],
  ['nothing', '', []],
  ['blank lines', '\n\n\r\n\r\r\n', []],
])('%s', (_name, stream, events) => {
  const bytes = bytesOf(stream)
  expect(eventsOf([bytes])).toEqual(events)
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(eventsOf([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(events)
  }
  expect(eventsOf(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(events)
})

test('bytes that are no UTF-8 become the character for that', () => {
  expect(eventsOf([Uint8Array.of(...bytesOf('data: a'), 0xff, 0xc3, ...bytesOf('\n\n'))])).toEqual(['a\ufffd\ufffd'])
})

test('an event is told as soon as it is whole', () => {
  const reader = new EventReader(limits)
  expect(reader.read(bytesOf('data: a\n'))).toEqual([])
  expect(reader.read(bytesOf('\ndata: b\r\n\r'))).toEqual(['a', 'b'])
  expect(reader.read(bytesOf('\n'))).toEqual([])
  expect(reader.read(bytesOf('data: c'))).toEqual([])
  expect(reader.end()).toEqual(['c'])
})

describe('limits', () => {
  test.each<[name: string, stream: string]>([
    ['a line without an end', `data: ${'a'.repeat(1000)}`],
    ['a line', `data: ${'a'.repeat(1000)}\n\n`],
    ['a comment', `:${'a'.repeat(1000)}`],
    ['an event', `data: ${'a'.repeat(900)}\n`.repeat(4)],
    ['an event of empty lines', 'data\n'.repeat(1000)],
  ])('%s that is too long fails, and the events before it are told', (_name, stream) => {
    const bytes = bytesOf(`data: before\n\n${stream}`)
    for (const pieces of [[bytes], Array.from(bytes, (byte) => Uint8Array.of(byte))]) {
      const reader = new EventReader(limits)
      expect(pieces.flatMap((piece) => reader.read(piece))).toEqual(['before'])
      expect(reader.failure?.kind).toBe('too-large')
      expect(reader.read(bytesOf('\n\ndata: after\n\n'))).toEqual([])
      expect(reader.end()).toEqual([])
    }
  })

  test.each([': ping\n\n', '\n', '\r', 'id: 1\n\n'])('%j without end fails, and an event begins anew', (line) => {
    const reader = new EventReader(limits)
    const lines = bytesOf(line.repeat(Math.floor(limits.gapBytes / line.length)))
    for (let round = 0; round < 3; round++) {
      expect(reader.read(lines)).toEqual([])
      expect(reader.read(bytesOf('data: a\n\n'))).toEqual(['a'])
    }
    expect(reader.failure).toBeUndefined()
    expect([...reader.read(lines), ...reader.read(lines)]).toEqual([])
    expect(reader.failure?.kind).toBe('too-large')
  })

  test('what just fits is read', () => {
    const line = `data: ${'a'.repeat(994)}`
    expect(eventsOf([bytesOf(`${line}\n${line}\n${line}\n\n`)])).toHaveLength(1)
  })

  test('comments are no part of an event', () => {
    expect(eventsOf([bytesOf(`data: a\n${': ping\n'.repeat(10_000)}\n`)])).toEqual(['a'])
  })
})

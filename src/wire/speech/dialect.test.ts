import { expect, test } from 'bun:test'
import { ApiError } from '../../core/errors.ts'
import { nothingConsumed } from '../../core/usage.ts'
import type { WorkEvent } from '../../core/work.ts'
import { answerContext } from '../../testing/answer-context.ts'
import { speechDialect } from './dialect.ts'

const events: WorkEvent<'speak'>[] = [
  { type: 'start', promptTokens: 0, cachedTokens: 0 },
  { type: 'audio', bytes: Uint8Array.of(1, 2, 255) },
  { type: 'audio', bytes: Uint8Array.of(3) },
  { type: 'finish', usage: { ...nothingConsumed, characters: 6 } },
]

function encoderOf(body: object) {
  const call = speechDialect.parse({ model: 'm', input: 'Hello.', voice: 'alloy', ...body })
  const encoder = speechDialect.encoder?.(call, answerContext())
  if (encoder === undefined) throw new Error('it has one')
  return encoder
}

test.each([
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['opus', 'audio/ogg'],
  ['flac', 'audio/flac'],
  ['pcm', 'audio/pcm'],
])('%s is %s, the bytes as they are made', (response_format, contentType) => {
  const encoder = encoderOf({ response_format })
  expect(encoder.head?.contentType).toBe(contentType)
  const pieces = [...events.flatMap((event) => encoder.push(event)), ...encoder.end()]
  expect(pieces).toEqual([Uint8Array.of(1, 2, 255), Uint8Array.of(3)])
  expect(encoder.prefix === undefined).toBe(response_format !== 'wav')
})

test('bare samples come with their rate', () => {
  expect(encoderOf({ response_format: 'pcm' }).head?.headers).toEqual({ 'x-sample-rate': '24000' })
})

test('a WAV file tells its exact size', () => {
  const header = Buffer.from(encoderOf({ response_format: 'wav' }).prefix?.(1000) ?? '')
  expect(header).toHaveLength(44)
  expect(header.toString('latin1', 0, 4) + header.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ')
  expect(header.readUInt32LE(4)).toBe(1036)
  expect([header.readUInt16LE(20), header.readUInt16LE(22), header.readUInt32LE(24)]).toEqual([1, 1, 24_000])
  expect([header.readUInt32LE(28), header.readUInt16LE(32), header.readUInt16LE(34)]).toEqual([48_000, 2, 16])
  expect(header.toString('latin1', 36, 40)).toBe('data')
  expect(header.readUInt32LE(40)).toBe(1000)
})

test('an event stream has the bytes in base64, and then what they came to', () => {
  const encoder = encoderOf({ stream_format: 'sse' })
  expect(encoder.head).toBeUndefined()
  const frames = events.flatMap((event) => encoder.push(event)).filter((frame) => String(frame).startsWith('data: '))
  expect([...frames, ...encoder.end()]).toEqual([
    'data: {"type":"speech.audio.delta","audio":"AQL/"}\n\n',
    'data: {"type":"speech.audio.delta","audio":"Aw=="}\n\n',
    'data: {"type":"speech.audio.done","usage":{"input_tokens":0,"output_tokens":0,"total_tokens":0,"input_characters":6}}\n\n',
  ])
  const [failure] = encoder.fail?.(new ApiError('engine', 'It stopped.', { code: 'engine_failed' })) ?? []
  expect(failure).toContain('"code":"engine_failed"')
})

test('a WAV file in events leaves its size open', () => {
  const encoder = encoderOf({ stream_format: 'sse', response_format: 'wav' })
  const [frame] = events.flatMap((event) => encoder.push(event))
  const { audio } = JSON.parse(String(frame).slice('data: '.length))
  expect(Buffer.from(audio, 'base64').readUInt32LE(40)).toBe(0xffff_ffff)
})

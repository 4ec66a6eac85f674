import { describe, expect, test } from 'bun:test'
import { parseSpeech } from './parse-request.ts'

const plain = { model: 'm', input: 'Hello.', voice: 'alloy' }

test('a body becomes a request; what is left out has the usual values', () => {
  expect(parseSpeech(plain)).toEqual({
    request: { input: 'Hello.', voice: 'alloy', speed: 1, format: 'mp3' },
    stream: true,
    isEvents: false,
  })
  const all = { voice: { id: 'Nova' }, response_format: 'pcm', speed: 0.25, stream_format: 'sse' }
  expect(parseSpeech({ ...plain, ...all })).toEqual({
    request: { input: 'Hello.', voice: 'Nova', speed: 0.25, format: 'pcm' },
    stream: true,
    isEvents: true,
  })
})

test('null is left out, and instructions are ignored', () => {
  const body = { ...plain, speed: null, response_format: null, stream_format: null, instructions: ['softly'] }
  expect(parseSpeech(body)).toEqual(parseSpeech(plain))
})

test('the longest text has 20,000 code points, and half characters are replaced', () => {
  expect(parseSpeech({ ...plain, input: '😀'.repeat(20_000) }).request.input).toHaveLength(40_000)
  expect(parseSpeech({ ...plain, input: 'a\ud800' }).request.input).toBe('a\ufffd')
  expect(() => parseSpeech({ ...plain, input: 'a'.repeat(20_001) })).toThrow(
    expect.objectContaining({ kind: 'payload_too_large', code: 'input_too_long', param: 'input' }),
  )
})

describe('refused with the name of the field', () => {
  test.each<[field: string, value: unknown, words: string]>([
    ['input', undefined, 'required'],
    ['input', '', 'not empty'],
    ['input', ' \n\t\u00a0', 'not empty'],
    ['input', ['Hello.'], 'a text'],
    ['voice', undefined, 'required'],
    ['voice', '', 'the name of a voice'],
    ['voice', {}, 'the name of a voice'],
    ['voice', { id: 3 }, 'the name of a voice'],
    ['voice', 'v'.repeat(201), 'the name of a voice'],
    ['response_format', 'aac', "one of 'mp3', 'wav', 'opus', 'flac', 'pcm'"],
    ['response_format', 'MP3', "one of 'mp3'"],
    ['speed', 0.24, 'from 0.25 to 4'],
    ['speed', 4.01, 'from 0.25 to 4'],
    ['speed', '1', 'from 0.25 to 4'],
    ['stream_format', 'json', "one of 'audio', 'sse'"],
  ])('%s: %p', (field, value, words) => {
    const error = expect.objectContaining({
      kind: 'invalid_request',
      param: field,
      message: expect.stringContaining(words),
    })
    expect(() => parseSpeech(JSON.parse(JSON.stringify({ ...plain, [field]: value })))).toThrow(error)
  })
})

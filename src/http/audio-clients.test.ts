/** The stock client's three kinds of speech, against the whole program as shipped and its starter models. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI, { toFile } from 'openai'
import { findFfmpeg } from '../audio/ffmpeg/find-ffmpeg.ts'
import { audioFormats } from '../core/speech.ts'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'
import { spokenWords } from '../testing/spoken.ts'

const fixtures = join(import.meta.dir, '../engines/speech/fixtures')
const [transcriber, synthesizer] = ['inferd/starter-stt', 'inferd/starter-tts']
const lengthSeconds = 3.8

let served: ServedProcess
let client: OpenAI

beforeAll(async () => {
  served = await startServedProcess([], { PATH: process.env.PATH ?? '' })
  client = new OpenAI({ baseURL: served.baseUrl, apiKey: served.key, maxRetries: 0 })
}, 60_000)
afterAll(() => served[Symbol.asyncDispose](), 60_000)

/**
 * Returns a recording of two sentences, encoded by `ffmpeg -i two-sentences.wav -b:a 24k two-sentences.m4a`, and for
 * webm by libopus.
 */
function recorded(name: 'two-sentences.wav' | 'two-sentences.m4a' | 'two-sentences.webm') {
  return toFile(readFileSync(join(fixtures, name)), name)
}

/** Returns how many spoken words the text has. A small model does not understand all of them. */
function understood(text: string): number {
  const heard = new Set(text.toLowerCase().split(/\W+/))
  return spokenWords.filter((word) => heard.has(word)).length
}

interface Diarized {
  readonly speakers: readonly string[]
  readonly segments: readonly { readonly speaker: string; readonly start: number; readonly end: number }[]
  readonly words: readonly { readonly word: string; readonly speaker: string; readonly speaker_id: string }[]
}

describe('speech', () => {
  const input = 'The train leaves at nine. Please open the window.'

  test.each(audioFormats.filter((format) => format !== 'pcm'))(
    'as %s is understood again',
    async (format) => {
      const speech = { model: synthesizer, input, voice: 'alloy', response_format: format } as const
      const spoken = await client.audio.speech.create(speech)
      const file = await toFile(await spoken.arrayBuffer(), 'speech')
      const { text } = await client.audio.transcriptions.create({ model: transcriber, file })
      expect(understood(text)).toBeGreaterThanOrEqual(3)
    },
    30_000,
  )
})

describe('a transcription', () => {
  test('of m4a needs ffmpeg', async () => {
    const file = await recorded('two-sentences.m4a')
    const heard = client.audio.transcriptions.create({ model: transcriber, file }).then(
      ({ text }) => understood(text),
      ({ code, message }) => `${code}: ${message}`,
    )
    if (findFfmpeg() === undefined) expect(await heard).toMatch(/^invalid_audio: .*ffmpeg/)
    else expect(await heard).toBeGreaterThanOrEqual(5)
  })

  test.each(['two-sentences.wav', 'two-sentences.webm'] as const)('of %s', async (name) => {
    const request = { model: transcriber, file: await recorded(name), response_format: 'verbose_json' } as const
    const heard = await client.audio.transcriptions.create({ ...request, timestamp_granularities: ['word', 'segment'] })
    expect(understood(heard.text)).toBeGreaterThanOrEqual(5)
    expect(heard.duration).toBeCloseTo(lengthSeconds, 0)
    expect(heard.language).toBe('en')
    const times = heard.words?.flatMap(({ start, end }) => [start, end]) ?? []
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(heard.words?.map(({ word }) => word).join(' ')).toBe(heard.text)
    expect(heard.segments?.map((segment) => segment.text.trim()).join(' ')).toBe(heard.text)
  })

  test('has the same text in every format', async () => {
    const format = async (response_format: 'json' | 'text' | 'srt' | 'vtt' | 'verbose_json') =>
      client.audio.transcriptions.create({
        model: transcriber,
        file: await recorded('two-sentences.wav'),
        response_format,
      })
    const { text } = await format('json')
    expect(await format('verbose_json')).toMatchObject({ text })
    expect(String(await format('text'))).toBe(`${text}\n`)
    for (const subtitles of [await format('srt'), await format('vtt')]) {
      const lines = String(subtitles)
        .split('\n')
        .filter((line) => /[a-z]/.test(line))
      expect(lines.join(' ')).toBe(text)
    }
  })

  test('streams the same text', async () => {
    const file = await recorded('two-sentences.wav')
    const whole = await client.audio.transcriptions.create({ model: transcriber, file })
    const events = await Array.fromAsync(
      await client.audio.transcriptions.create({ model: transcriber, file, stream: true }),
    )
    expect(events.at(-1)).toMatchObject({ type: 'transcript.text.done', text: whole.text })
    const deltas = events.flatMap((event) => (event.type === 'transcript.text.delta' ? [event.delta] : []))
    expect(deltas.join('')).toBe(whole.text)
  })
})

describe('speakers', () => {
  test.each(['diarize', 'diarization', 'speaker_labels'])('are labelled by %s', async (field) => {
    const request = { model: transcriber, file: await recorded('two-sentences.webm'), [field]: true }
    const { data, response } = await client.audio.transcriptions.create(request).withResponse()
    const { speakers, segments, words } = data as unknown as Diarized
    expect(response.headers.get('x-diarized')).toBe(`${speakers.length} speakers`)
    expect(speakers[0]).toBe('SPEAKER_00')
    expect([...new Set(segments.map(({ speaker }) => speaker))]).toEqual([...speakers])
    expect(words.map(({ word }) => word).join(' ')).toBe(data.text)
    for (const word of words) expect(word.speaker_id).toBe(word.speaker)
  })

  test('are the same in json and verbose_json, and lead each line of a text', async () => {
    const ask = async (response_format: 'json' | 'verbose_json' | 'text') => {
      const file = await recorded('two-sentences.webm')
      return client.audio.transcriptions.create({ model: transcriber, file, response_format, ...{ diarize: true } })
    }
    expect(await ask('json')).toEqual(await ask('verbose_json'))
    for (const line of String(await ask('text'))
      .trim()
      .split('\n'))
      expect(line).toMatch(/^SPEAKER_0\d: \S/)
  })
})

test('keys of the form may come again, and the file without a type', async () => {
  const part = (head: string, content: string | Buffer) => [
    Buffer.from(`--x\r\n${head}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]
  const field = (name: string, value: string) => part(`content-disposition: form-data; name="${name}"`, value)
  const body = Buffer.concat([
    ...part(
      'content-disposition: form-data; name="file"; filename="a"\r\ncontent-type: ',
      readFileSync(join(fixtures, 'two-sentences.webm')),
    ),
    ...field('timestamp_granularities[]', 'word'),
    ...field('timestamp_granularities[]', 'segment'),
    ...field('response_format', 'verbose_json'),
    ...field('model', transcriber),
    Buffer.from('--x--\r\n'),
  ])
  const answer = await fetch(`${served.baseUrl}/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${served.key}`, 'content-type': 'multipart/form-data; boundary=x' },
    body,
  })
  expect(await answer.json()).toMatchObject({ words: expect.any(Array), segments: expect.any(Array) })
  expect(answer.status).toBe(200)
})

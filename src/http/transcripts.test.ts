/** The stock client's transcripts and translations by real engines: their shapes, and their exact price. */
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI, { toFile } from 'openai'
import type { ModelManifest } from '../core/model.ts'
import { audioSampleRateHz } from '../core/speech.ts'
import { wavHeader } from '../core/wav-header.ts'
import { silence, spokenSamples } from '../testing/spoken.ts'
import { starterTranscriber } from '../testing/starter-transcriber.ts'
import { startTestServer } from '../testing/test-server.ts'

/** 1,000 nano-USD for each millisecond. */
const pricing = { priceNanoUsd: 60_000_000, unit: 'minute' } as const
const fixtures = join(import.meta.dir, '../engines/speech/fixtures')
/** Recording of two voices, if it is there. */
const twoVoices = join(import.meta.dir, '../../../shared/data/audio/pyannote-sample/sample.wav')

const starter = starterTranscriber()
const fixture = (
  id: string,
  kind: 'whisper' | 'transducer',
  roles: readonly string[],
  capabilities: ModelManifest['capabilities'],
) => ({
  [id]: {
    manifest: { ...starter.manifest, id, aliases: [], pricing, capabilities, transcriber: { kind } },
    filePaths: {
      vad: starter.filePaths.vad ?? '',
      tokens: join(fixtures, `${kind}-tokens.txt`),
      ...Object.fromEntries(roles.map((role) => [role, join(fixtures, `${kind}-${role}.onnx`)])),
    },
  },
})
const server = startTestServer({
  models: {
    'test/voices': {
      ...starter,
      manifest: {
        ...starter.manifest,
        id: 'test/voices',
        aliases: [{ id: 'gpt-4o-transcribe-diarize' }],
        pricing,
      },
    },
    ...fixture('test/whisper', 'whisper', ['encoder', 'decoder'], { translation: true }),
    ...fixture('test/turbo', 'whisper', ['encoder', 'decoder'], {}),
    ...fixture('test/transducer', 'transducer', ['encoder', 'decoder', 'joiner'], { prompt: true }),
  },
  engine: { threads: 2 },
})
afterAll(() => server[Symbol.asyncDispose]())
afterEach(async () => {
  await server.drained()
  expect(server.spooled()).toEqual([])
})

const { audio } = new OpenAI({ apiKey: server.keys.valid, baseURL: server.baseUrl, maxRetries: 0 })
const spoken = () => toFile(wav(spokenSamples()), 'spoken.wav')

/** Returns the client's error. */
function refusal(asked: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(asked).then(
    () => 'answered',
    (error: unknown) => error,
  )
}

/** Returns a WAV file of these samples, one after the other. */
function wav(...parts: readonly Int16Array[]): Buffer {
  const data = Buffer.concat(parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength)))
  return Buffer.concat([wavHeader(data.length, audioSampleRateHz), data])
}

describe('diarized_json', () => {
  interface Labelled {
    readonly text: string
    readonly duration: number
    readonly segments: readonly { readonly speaker: string; readonly start: number; readonly end: number }[]
  }

  test.each<[what: string, path: string]>([
    ['two sentences', join(fixtures, 'two-sentences.wav')],
    ['two voices', twoVoices],
  ])(
    'has the segments of verbose_json: %s',
    async (_, path) => {
      if (!existsSync(path)) return // not part of the product
      const file = () => toFile(readFileSync(path), 'recording.wav')
      const model = 'gpt-4o-transcribe-diarize'
      const form = { model, file: await file(), response_format: 'diarized_json', chunking_strategy: 'auto' } as const
      const diarized = (await audio.transcriptions.create(form)) as unknown as OpenAI.Audio.TranscriptionDiarized
      const request = { model, file: await file(), response_format: 'verbose_json', diarize: true } as const
      const verbose = (await audio.transcriptions.create(request)) as unknown as Labelled
      expect(diarized).toMatchObject({ task: 'transcribe', text: verbose.text, duration: verbose.duration })
      expect(diarized.segments).toEqual(
        verbose.segments.map((segment, index) => ({
          ...segment,
          id: `seg_${index}`,
          type: 'transcript.text.segment',
        })) as typeof diarized.segments,
      )
      expect(diarized.segments.length).toBeGreaterThan(0)
      expect(diarized.usage).toEqual({ type: 'duration', seconds: Math.ceil(diarized.duration) })
    },
    60_000,
  )

  test('is for models that label speakers', async () => {
    const refused = audio.transcriptions.create({
      model: 'test/whisper',
      file: await spoken(),
      response_format: 'diarized_json',
    })
    expect(await refusal(refused)).toMatchObject({
      status: 400,
      code: 'diarization_unsupported',
      param: 'response_format',
    })
  })
})

test('rules of speech reach its finder', async () => {
  const heard = async (rules: object) => {
    const file = await toFile(wav(spokenSamples(), silence(1), spokenSamples()), 'a.wav')
    const chunking_strategy = { type: 'server_vad', ...rules } as const
    return (await audio.transcriptions.create({ model: 'test/transducer', file, chunking_strategy })).text
  }
  // The model says the same of every chunk, and less of the recording is surely speech.
  expect(await heard({})).toBe('a cats sat')
  expect(await heard({ threshold: 1 })).not.toBe('a cats sat')
  expect(await heard({})).toBe('a cats sat')
})

test('sound before speech is kept as the client says', async () => {
  const firstStart = async (chunking_strategy: 'auto' | { type: 'server_vad'; prefix_padding_ms: number }) => {
    const file = await toFile(wav(silence(3), spokenSamples()), 'a.wav')
    const request = { model: 'test/transducer', file, response_format: 'verbose_json', chunking_strategy } as const
    const { segments } = (await audio.transcriptions.create(request)) as unknown as OpenAI.Audio.TranscriptionVerbose
    return segments?.[0]?.start ?? 0
  }
  // The model hears its first word 0.08 s after the sound begins, and words shortly before speech begin with it.
  expect(await firstStart('auto')).toBeGreaterThan(2.6)
  expect(await firstStart({ type: 'server_vad', prefix_padding_ms: 1000 })).toBeLessThan(2.4)
})

describe('a transducer', () => {
  const model = 'test/transducer'

  test('scores its tokens', async () => {
    const { text, logprobs } = await audio.transcriptions.create({
      model,
      file: await spoken(),
      response_format: 'json',
      include: ['logprobs'],
    })
    expect(text).toBe('a cats sat')
    expect(logprobs?.map(({ token }) => token)).toEqual([' a', ' cat', 's', ' sat'])
    expect(logprobs?.map(({ bytes }) => Buffer.from(bytes ?? []).toString()).join('')).toBe(` ${text}`)
    expect(logprobs?.at(-1)?.logprob).toBeCloseTo(Math.log(1 / (1 + Math.exp(-0.5))), 3)
  })

  test('scores them in a stream too', async () => {
    const request = { model, file: await spoken(), include: ['logprobs'], stream: true } as const
    const events = await Array.fromAsync(await audio.transcriptions.create({ ...request, include: ['logprobs'] }))
    expect(events.map(({ type, ...event }) => [type, 'logprobs' in event && event.logprobs?.length])).toEqual([
      ['transcript.text.delta', 4],
      ['transcript.text.done', 4],
    ])
  })

  test('prefers the words of a prompt', async () => {
    const { text } = await audio.transcriptions.create({ model, file: await spoken(), prompt: 'Sad, Müller' })
    expect(text).toBe('a cats sad')
  })

  test('is alone in that', async () => {
    const scored = audio.transcriptions.create({ model: 'test/whisper', file: await spoken(), include: ['logprobs'] })
    expect(await refusal(scored)).toMatchObject({ status: 400, code: 'unsupported_parameter', param: 'include' })
  })
})

describe('a translation', () => {
  const model = 'test/whisper'

  test('comes in each format', async () => {
    expect(await audio.translations.create({ model, file: await spoken() })).toMatchObject({ text: 'good world' })
    const form = { model, file: await spoken(), response_format: 'verbose_json' } as const
    const verbose = (await audio.translations.create(form)) as unknown as OpenAI.Audio.TranslationVerbose
    expect(verbose).toMatchObject({
      ...{ task: 'translate', language: 'english', text: 'good world' },
      segments: [{ id: 0, text: 'good world' }],
    })
    expect(verbose.duration).toBeCloseTo(3.777, 2)
    expect(String(await audio.translations.create({ model, file: await spoken(), response_format: 'text' }))).toBe(
      'good world\n',
    )
    const subtitles = await audio.translations.create({ model, file: await spoken(), response_format: 'vtt' })
    expect(String(subtitles)).toMatch(/^WEBVTT\n\n00:00:00\.\d{3} --> 00:00:0\d\.\d{3}\ngood world\n\n$/)
  })

  test('leaves a transcription as it is', async () => {
    const { text } = await audio.transcriptions.create({ model, file: await spoken() })
    expect(text).toBe('hello world good day,')
  })

  test.each<[model: string, code: string]>([
    ['test/turbo', 'translation_unsupported'],
    ['test/transducer', 'translation_unsupported'],
    ['fake', 'model_type_mismatch'],
  ])('is refused for %s', async (other, code) => {
    const refused = audio.translations.create({ model: other, file: await spoken() })
    expect(await refusal(refused)).toMatchObject({ status: 400, code, param: 'model' })
  })
})

describe('money', () => {
  const long = wav(...Array.from({ length: 25 }, () => [spokenSamples(), silence(6)]).flat())
  const lengthMs = (long.length - 44) / 32
  const translate = (key: string, signal?: AbortSignal) => {
    const client = new OpenAI({ apiKey: key, baseURL: server.baseUrl, maxRetries: 0 })
    return toFile(long, 'long.wav').then((file) =>
      client.audio.translations.create({ model: 'test/whisper', file }, { ...(signal !== undefined && { signal }) }),
    )
  }
  const engine = () => server.pool.status().find(({ modelId }) => modelId === 'test/whisper')
  const steps = async () => (await server.pool.stats('test/whisper'))?.steps ?? 0

  /** Resolves once some chunks more are recognised. */
  async function begun(before: number) {
    while ((await steps()) < before + 3) await new Promise(setImmediate)
  }

  test('a translation costs what a transcription does', async () => {
    const payer = server.payer(10_000_000_000)
    await translate(payer.key)
    expect(payer.money()).toEqual({ balance: 10_000_000_000 - Math.ceil(lengthMs) * 1000, held: 0 })
  }, 60_000)

  test('a client that leaves pays for what was heard until then', async () => {
    const payer = server.payer(10_000_000_000)
    const client = new AbortController()
    const before = await steps()
    const left = translate(payer.key, client.signal).catch(() => 'left')
    await begun(before)
    client.abort()
    expect(await left).toBe('left')
    const { requestId } = await server.line((line) => line.accountId === payer.accountId)
    const receipt = server.stores.usage.find(requestId)
    expect(receipt?.finish).toBe('client_disconnect')
    expect(receipt?.used.audioMs).toBeWithin(1, Math.ceil(lengthMs))
    const charged = (receipt?.used.audioMs ?? 0) * 1000
    expect(receipt?.chargedNanoUsd).toBe(charged)
    expect(payer.money()).toEqual({ balance: 10_000_000_000 - charged, held: 0 })
  }, 60_000)

  test('an engine that is killed charges nothing for what it did, and the next one does the work once', async () => {
    const payer = server.payer(10_000_000_000)
    const before = await steps()
    const running = translate(payer.key)
    await begun(before)
    process.kill(engine()?.pid ?? 0, 'SIGKILL')
    const text = await running.then(
      (answer) => answer.text,
      (error: { status: number }) => error.status,
    )
    // Before the answer begins, the request is computed again.
    const paid = typeof text === 'string' ? Math.ceil(lengthMs) * 1000 : 0
    expect(text === 503 || String(text).startsWith('good world')).toBe(true)
    expect(payer.money()).toEqual({ balance: 10_000_000_000 - paid, held: 0 })
  }, 60_000)
})

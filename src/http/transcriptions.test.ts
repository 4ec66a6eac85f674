/** POST /audio/transcriptions over real sockets, by the stock client and by hand, with the fake engine. */
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI, { APIError, toFile } from 'openai'
import { recording } from '../testing/recording.ts'
import { startTestServer } from '../testing/test-server.ts'

const pricing = { priceNanoUsd: 2_000_000, unit: 'minute' } as const
const models = {
  'test/ears': {
    manifest: {
      type: 'stt',
      aliases: [{ id: 'whisper-1' }],
      capabilities: { diarization: true },
      transcriber: { kind: 'whisper', languages: ['en', 'de'] },
      pricing,
    },
  },
  'test/deaf-to-voices': { manifest: { type: 'stt', pricing } },
  'test/missing': { manifest: { type: 'stt', pricing }, status: { kind: 'available' } },
} as const
const server = startTestServer({ models })
const fixtures = join(import.meta.dir, '../audio/fixtures')
afterAll(() => server[Symbol.asyncDispose]())
afterEach(async () => {
  await server.drained()
  expect(server.spooled()).toEqual([])
})

const client = new OpenAI({ apiKey: server.keys.valid, baseURL: server.baseUrl, maxRetries: 0 })
const file = (seconds = 4) => toFile(recording(seconds), 'recording.wav')
const prompt = 'one two three four'
const model = 'whisper-1'

describe('the stock client', () => {
  test('gets each format', async () => {
    const { transcriptions } = client.audio
    const words = ['one', 'two', 'three', 'four']
    expect(await transcriptions.create({ model, prompt, file: await file() })).toMatchObject({
      text: prompt,
      usage: { type: 'duration', seconds: 4 },
    })
    const verbose = await transcriptions.create({
      model,
      prompt,
      file: await file(),
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
    })
    expect(verbose).toMatchObject({ language: 'en', duration: 4, text: prompt })
    expect(verbose.segments).toMatchObject([{ id: 0, start: 0, end: 4, text: prompt, tokens: [], no_speech_prob: 0 }])
    expect(verbose.words).toEqual(words.map((word, at) => ({ word, start: at, end: at + 1 })))
    const format = async (response_format: 'text' | 'srt' | 'vtt') =>
      transcriptions.create({ model, prompt, file: await file(), response_format })
    expect(await format('text')).toBe(`${prompt}\n`)
    expect(await format('srt')).toBe(`1\n00:00:00,000 --> 00:00:04,000\n${prompt}\n\n`)
    expect(await format('vtt')).toBe(`WEBVTT\n\n00:00:00.000 --> 00:00:04.000\n${prompt}\n\n`)
  })

  test('hears segments as they come', async () => {
    const stream = await client.audio.transcriptions.create({ model, prompt, file: await file(), stream: true })
    const events = await Array.fromAsync(stream)
    expect(events.map(({ type }) => type)).toEqual(['transcript.text.delta', 'transcript.text.done'])
    expect(events.at(-1)).toMatchObject({ text: prompt, usage: { type: 'duration', seconds: 4 } })
  })

  test('is told who speaks', async () => {
    const request = { model, prompt, file: await file(8), diarize: true, min_speakers: 2 }
    const { data, response } = await client.audio.transcriptions.create(request).withResponse()
    expect(response.headers.get('x-diarized')).toBe('2 speakers')
    expect(data).toMatchObject({ text: prompt, speakers: ['SPEAKER_00', 'SPEAKER_01'] })
  })

  test.each<[string, Partial<OpenAI.Audio.TranscriptionCreateParams>, number, string, string]>([
    ['a model that is not there', { model: 'whisper-9' }, 404, 'model_not_found', 'model'],
    ['a model whose files are not here', { model: 'test/missing' }, 404, 'model_not_found', 'model'],
    ['a model that chats', { model: 'fake' }, 400, 'model_type_mismatch', 'model'],
    ['a language that the model does not know', { language: 'fr' }, 400, 'invalid_value', 'language'],
    ['names of speakers', { known_speaker_names: ['Ann'] }, 400, 'unsupported_parameter', 'known_speaker_names'],
  ])('is refused %s', async (_, some, status, code, param) => {
    const request = { model, file: await file(), ...some } as OpenAI.Audio.TranscriptionCreateParamsNonStreaming
    const error = await client.audio.transcriptions.create(request).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(APIError)
    expect(error).toMatchObject({ status, code, param, type: 'invalid_request_error' })
  })
})

function post(form: FormData, path = '/v1/audio/transcriptions', key = server.keys.valid) {
  return fetch(server.url + path, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: form })
}

interface FormFile {
  readonly content?: string | Buffer<ArrayBuffer>
  readonly name?: string
  readonly type?: string
}

function formOf(fields: Record<string, string>, { content = recording(1), name = 'a.wav', type = '' }: FormFile = {}) {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  form.append('file', new Blob([content], { type }), name)
  return form
}

async function problemOf(response: Promise<Response>) {
  const { status, ...rest } = await response.then(async (answer) => ({
    status: answer.status,
    ...Object(await answer.json()).error,
  }))
  return `${status} ${rest.code} ${rest.param}`
}

test('edge case 71: neither the name nor the type of the file counts', async () => {
  for (const named of [{ name: 'a.mp3', type: 'text/plain' }, { name: 'a' }, { name: '录音.xyz', type: 'video/mp4' }]) {
    const answer = await post(formOf({ model, prompt }, named), '/openai/v1/audio/transcriptions')
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ text: prompt })])
  }
})

test.each(['verbose_json', 'srt', 'vtt'])(
  '%s is the same answer with a stream asked for and without',
  async (format) => {
    const fields = { model, prompt, response_format: format }
    const [streamed, whole] = [await post(formOf({ ...fields, stream: 'true' })), await post(formOf(fields))]
    expect([streamed.status, streamed.headers.get('content-type')]).toEqual([200, whole.headers.get('content-type')])
    expect(await streamed.text()).toBe(await whole.text())
  },
)

test('the file may come before the fields', async () => {
  const form = new FormData()
  form.append('file', new Blob([recording(1)]), 'a')
  form.append('prompt', prompt)
  form.append('model', model)
  form.append('response_format', 'text')
  expect(await (await post(form)).text()).toBe(`${prompt}\n`)
})

test('edge case 73: each name of the field asks for speakers, and json is verbose_json', async () => {
  const answers = []
  for (const field of ['diarize', 'diarization', 'speaker_labels']) {
    const answer = await post(formOf({ model, prompt, [field]: 'true', response_format: 'verbose_json' }))
    expect(answer.headers.get('x-diarized')).toBe('1 speakers')
    answers.push(await answer.json())
  }
  answers.push(await (await post(formOf({ model, prompt, diarize: '1' }))).json())
  for (const answer of answers) expect(answer).toEqual(answers[0])
  const unsupported = post(formOf({ model: 'test/deaf-to-voices', diarize: 'true' }, { content: 'not even audio' }))
  expect(await problemOf(unsupported)).toBe('400 diarization_unsupported diarize')
})

test.each<[string, FormData, string]>([
  ['no file', new FormData(), '400 missing_required_parameter model'],
  ['no model', formOf({}), '400 missing_required_parameter model'],
  ['a file of nothing', formOf({ model }, { content: '' }), '400 invalid_audio file'],
  ['a file of text', formOf({ model }, { content: 'hello' }), '400 invalid_audio file'],
])('%s is refused', async (_, form, expected) => {
  expect(await problemOf(post(form))).toBe(expected)
})

test('a form without a file is told so, and so is a body that is no form', async () => {
  const form = new FormData()
  form.append('model', model)
  expect(await problemOf(post(form))).toBe('400 missing_required_parameter file')
  expect(await problemOf(server.post('/v1/audio/transcriptions', { model }))).toBe('400 invalid_form null')
})

test('an answer says which model it was, what it cost, and leaves a line without any text', async () => {
  const payer = server.payer(100_000_000)
  const answer = await post(formOf({ model, prompt }, { content: recording(90) }), undefined, payer.key)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-model-canonical')).toBe('test/ears')
  expect([answer.headers.get('x-cost-usd'), answer.headers.get('x-balance-usd')]).toEqual(['0.003', '0.097'])
  const requestId = answer.headers.get('x-request-id')
  const line = await server.line((each) => each.requestId === requestId)
  expect(line).toMatchObject({ model: 'test/ears', status: 200, used: { audioMs: 90_000 }, costNanoUsd: 3_000_000 })
  expect(line.firstOutputMs).toBeNumber()
  expect(JSON.stringify(line)).not.toContain('three')
  expect(payer.money()).toEqual({ balance: 97_000_000, held: 0 })
})

describe('money', () => {
  test('accounts without any are refused before the upload is read', async () => {
    expect(await problemOf(post(formOf({ model }), undefined, server.payer(0).key))).toBe(
      '402 insufficient_balance null',
    )
  })

  test('a recording that says that it costs more than there is is refused before it is decoded', async () => {
    // The recording lasts half a second, but by its first frame's count of frames it lasts ten hours.
    const content = Buffer.from(readFileSync(join(fixtures, 'tone.mp3')))
    content.writeUInt32BE((36_000 * 44_100) / 1152, content.indexOf('Info') + 8)
    const payer = server.payer(1_000_000)
    expect(await problemOf(post(formOf({ model }, { content }), undefined, payer.key))).toBe(
      '402 insufficient_balance null',
    )
    expect((await post(formOf({ model }, { content }))).status).toBe(200)
  })

  test('a recording that goes on beyond what it says is decoded no further than its account can pay for', async () => {
    const programPath = mkdtempSync(join(tmpdir(), 'inferd-endless-'))
    writeFileSync(join(programPath, 'ffmpeg'), '#!/bin/sh\nexec /bin/cat /dev/zero\n', { mode: 0o700 })
    await using endless = startTestServer({ models, audio: { programPath } })
    const payer = endless.payer(1_000_000)
    const form = () => formOf({ model }, { content: readFileSync(join(fixtures, 'opus.ogg')) })
    const sent = Array.from({ length: 4 }, () =>
      fetch(`${endless.baseUrl}/audio/transcriptions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${payer.key}` },
        body: form(),
      }),
    )
    for (const answer of sent) expect(await problemOf(answer)).toBe('402 insufficient_balance null')
    expect(payer.money()).toEqual({ balance: 1_000_000, held: 0 })
    rmSync(programPath, { recursive: true })
  })

  test('a recording that costs more than there is is refused before it is computed', async () => {
    const payer = server.payer(1_000_000)
    const form = formOf({ model }, { content: recording(60) })
    expect(await problemOf(post(form, undefined, payer.key))).toBe('402 insufficient_balance null')
    expect(payer.money()).toEqual({ balance: 1_000_000, held: 0 })
  })
})

/** The starter voices over real sockets: the clients' results and their cost. */
import { afterAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { commonVoices } from '../core/speech-model-settings.ts'
import { starterSpeechModel } from '../testing/starter-speech.ts'
import { startTestServer } from '../testing/test-server.ts'

const nanoUsdPerCharacter = 10_000
const speaker = starterSpeechModel('tts')
const pricing = { priceNanoUsd: nanoUsdPerCharacter * 1_000_000, unit: '1M_characters' } as const
const server = startTestServer({
  models: { 'test/tts': { manifest: { ...speaker.manifest, id: 'test/tts', pricing }, filePaths: speaker.filePaths } },
  engine: { threads: 2 },
})
afterAll(() => server[Symbol.asyncDispose]())

const openai = new OpenAI({ baseURL: server.baseUrl, apiKey: server.keys.valid, maxRetries: 0 })
const plain = { model: 'test/tts', input: 'A brown fox jumps.', voice: 'alloy' } as const

interface Sending {
  readonly key?: string
  readonly signal?: AbortSignal
}

function post(body: object, { key = server.keys.valid, signal }: Sending = {}): Promise<Response> {
  return fetch(`${server.baseUrl}/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
}

test('the OpenAI client gets mp3 unless it asks for something else', async () => {
  const response = await openai.audio.speech.create(plain)
  expect(response.headers.get('content-type')).toBe('audio/mpeg')
  expect(response.headers.get('x-model-canonical')).toBe('test/tts')
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(bytes.toString('latin1', 0, 3)).toBe('ID3')
})

test('a WAV file holds exactly the bare samples, and says so', async () => {
  const wav = await openai.audio.speech.create({ ...plain, response_format: 'wav' })
  const pcm = await openai.audio.speech.create({ ...plain, response_format: 'pcm' })
  expect(pcm.headers.get('x-sample-rate')).toBe('24000')
  const file = Buffer.from(await wav.arrayBuffer())
  const samples = Buffer.from(await pcm.arrayBuffer())
  expect(file.subarray(44).equals(samples)).toBe(true)
  expect([file.readUInt32LE(4), file.readUInt32LE(40)]).toEqual([samples.length + 36, samples.length])
})

test('events carry the same bytes', async () => {
  const response = await post({ ...plain, response_format: 'pcm', stream_format: 'sse' })
  expect(response.headers.get('content-type')).toStartWith('text/event-stream')
  const events = (await response.text())
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => JSON.parse(frame.slice('data: '.length)))
  expect(events.pop()).toMatchObject({ type: 'speech.audio.done', usage: { input_characters: plain.input.length } })
  const streamed = Buffer.concat(events.map(({ audio }) => Buffer.from(audio, 'base64')))
  const bytes = await (await post({ ...plain, response_format: 'pcm' })).bytes()
  expect(streamed.equals(bytes)).toBe(true)
})

test('all common voices speak; the unknown one is told the names', async () => {
  const spoken = await Promise.all(commonVoices.map(async (voice) => (await post({ ...plain, voice })).bytes()))
  expect(new Set(spoken.map((bytes) => Bun.hash(bytes))).size).toBe(speaker.manifest.synthesizer?.voices.length ?? 0)
  const unknown = await post({ ...plain, voice: { id: 'nobody' } })
  const { error } = (await unknown.json()) as { error: { param: string; message: string } }
  expect([unknown.status, error.param]).toEqual([400, 'voice'])
  expect(error.message).toContain('alloy')
})

test('speech is charged by the character', async () => {
  const payer = server.payer(100 * nanoUsdPerCharacter)
  const response = await post({ ...plain, input: 'Hello 😀.' }, payer)
  await response.bytes()
  const { requestId } = await server.line(({ accountId }) => accountId === payer.accountId)
  expect(server.stores.usage.find(requestId)).toMatchObject({
    used: { characters: 8 },
    chargedNanoUsd: 8 * nanoUsdPerCharacter,
  })
  expect((await post({ ...plain, input: 'x'.repeat(93) }, payer)).status).toBe(402)
})

test('the first bytes come before the text is spoken, and a client that disconnects pays for what was made', async () => {
  const client = new AbortController()
  const input = 'A brown fox jumps over it. '.repeat(150)
  const payer = server.payer(input.length * nanoUsdPerCharacter)
  const response = await post({ ...plain, input, response_format: 'pcm' }, { ...payer, signal: client.signal })
  await response.body?.getReader().read()
  client.abort()
  const { requestId } = await server.line(({ accountId }) => accountId === payer.accountId)
  expect(server.stores.usage.find(requestId)?.used.characters).toBeWithin(1, input.length / 2)
})

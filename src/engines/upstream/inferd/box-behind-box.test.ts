/** A box that serves the models of another box answers exactly like that box: real sockets, fake engines. */
import { afterAll, describe, expect, test } from 'bun:test'
import type { ModelManifest } from '../../../core/model.ts'
import { recording } from '../../../testing/recording.ts'
import { startTestServer, type TestServer } from '../../../testing/test-server.ts'
import { servedBy } from '../../../testing/upstream/upstream-host.ts'

const manifests: Readonly<Record<string, Partial<ModelManifest>>> = {
  'test/chat': { type: 'chat', contextLength: 8192 },
  'test/embed': { type: 'embedding', dimensions: 8, pricing: { priceNanoUsd: 20_000_000, unit: '1M_tokens' } },
  'test/rerank': { type: 'rerank' },
  'test/german': { type: 'stt', transcriber: { kind: 'whisper', languages: ['de'] } },
  'test/ears': {
    type: 'stt',
    capabilities: { diarization: true, translation: true },
    pricing: { priceNanoUsd: 2_000_000, unit: 'minute' },
  },
  'test/voice': { type: 'tts', pricing: { priceNanoUsd: 15_000_000, unit: '1M_characters' } },
}
const back = startTestServer({
  models: Object.fromEntries(Object.entries(manifests).map(([id, manifest]) => [id, { manifest }])),
})
const front = startTestServer({
  models: Object.fromEntries(
    Object.entries(manifests).map(([id, manifest]) => [
      id,
      servedBy('inferd', [{ url: back.baseUrl }], { ...manifest, transcriber: undefined, upstream: { model: id } }),
    ]),
  ),
  upstream: { readKey: async () => back.keys.valid },
})
afterAll(async () => {
  await front[Symbol.asyncDispose]()
  await back[Symbol.asyncDispose]()
})

/** Returns an answer without the parts that differ each time. */
async function answer(server: TestServer, path: string, body: unknown) {
  const isForm = body instanceof FormData
  const response = await fetch(server.baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.keys.valid}`, ...(!isForm && { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const type = response.headers.get('content-type') ?? ''
  const text = type.includes('json') ? JSON.parse(bytes.toString()) : bytes.toString('latin1')
  if (typeof text === 'object') {
    delete text.id
    delete text.error?.docs_url
  }
  return { status: response.status, type, text, speakers: response.headers.get('x-diarized') }
}

function form(fields: readonly (readonly [string, string])[], seconds = 6): FormData {
  const data = new FormData()
  data.set('model', 'test/ears')
  for (const [name, value] of fields) data.append(name, value)
  data.set('file', new File([recording(seconds)], 'a.wav'))
  return data
}

async function expectSame(path: string, body: () => unknown, status = 200) {
  const own = await answer(back, path, body())
  expect(own.status).toBe(status)
  expect(await answer(front, path, body())).toEqual(own)
}

const model = 'test/embed'
test.each<[what: string, path: string, body: object]>([
  ['a text', '/embeddings', { model, input: 'a text' }],
  ['texts, whose vectors are cut', '/embeddings', { model, input: ['b', 'c d'], dimensions: 3 }],
  ['token ids in base64', '/embeddings', { model, input: [[1, 2], [3]], encoding_format: 'base64' }],
  ['300 texts', '/embeddings', { model, input: Array.from({ length: 300 }, (_, at) => `text ${at}`) }],
  ['a query', '/embeddings', { model, input: 'a', input_type: 'query', truncate: 'END' }],
  ['documents', '/rerank', { model: 'test/rerank', query: 'a b', documents: ['b', 'c', 'a b'], top_n: 2 }],
  [
    'documents that are shown',
    '/rerank',
    { model: 'test/rerank', query: 'a', documents: ['b', 'a'], return_documents: true },
  ],
])('%s', (_, path, body) => expectSame(path, () => body))

describe('a recording', () => {
  const prompt = ['prompt', 'one two three four five six seven eight'] as const
  const verbose = ['response_format', 'verbose_json'] as const
  const words = ['timestamp_granularities[]', 'word'] as const
  test.each<[what: string, fields: readonly (readonly [string, string])[]]>([
    ['as text', [prompt]],
    ['with times', [prompt, verbose]],
    ['with words', [prompt, verbose, words]],
    ['in another language', [prompt, verbose, ['language', 'de']]],
    ['as subtitles', [prompt, ['response_format', 'srt']]],
    ['with speakers', [prompt, ['diarize', 'true']]],
    ['as diarized_json', [prompt, ['response_format', 'diarized_json']]],
    ['as subtitles of words', [prompt, words, ['response_format', 'vtt']]],
    ['with three speakers', [prompt, ['diarize', 'true'], ['min_speakers', '3']]],
    ['with speakers, as subtitles', [prompt, ['diarize', 'true'], ['response_format', 'vtt']]],
    [
      'with speakers, words and segments',
      [prompt, ['diarize', 'true'], words, ['timestamp_granularities[]', 'segment']],
    ],
  ])('%s', (_, fields) => expectSame('/audio/transcriptions', () => form(fields)))

  test('in English', () => expectSame('/audio/translations', () => form([prompt, ['response_format', 'verbose_json']])))

  test('is in the spool of neither when it has ended', async () => {
    await Promise.all([front.drained(), back.drained()])
    expect([...front.spooled(), ...back.spooled()]).toEqual([])
  })
})

test.each(['mp3', 'wav', 'opus', 'flac', 'pcm'])('speech as %s', (response_format) =>
  expectSame('/audio/speech', () => ({
    model: 'test/voice',
    voice: 'alloy',
    input: 'one two',
    response_format,
    speed: 2,
  })),
)

test('the length of a prompt', () =>
  expectSame('/messages/count_tokens', () => ({
    model: 'test/chat',
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'How long is this?' }],
    tools: [{ name: 'now', input_schema: { type: 'object' } }],
  })))

describe('an error about the request comes as it is', () => {
  test('where this box finds it', () => expectSame('/embeddings', () => ({ model, input: 'a', dimensions: 99 }), 400))

  test('where the box behind does', async () => {
    const body = () => {
      const data = form([['language', 'en']])
      data.set('model', 'test/german')
      return data
    }
    await expectSame('/audio/transcriptions', body, 400)
    expect((await answer(front, '/audio/transcriptions', body())).text).toMatchObject({ error: { param: 'language' } })
  })
})

test('the box behind knows whose request it got, and charges its own price', async () => {
  const response = await front.post('/v1/embeddings', { model, input: 'traced' })
  await response.text()
  const id = response.headers.get('x-request-id') ?? ''
  const line = await back.line(({ callerRequestId }) => callerRequestId === id)
  expect(line).toMatchObject({ status: 200, model, endpoint: 'embeddings' })
  expect(line.requestId).not.toBe(id)
})

test('a client that leaves an answer pays for the tokens that the box behind counted', async () => {
  const text = (word: string) => ({ text: word })
  const script = [text('a'), { reasoning: 'b' }, text('c'), { waitForCancel: true }]
  const content = JSON.stringify({ script, promptTokens: 9, cachedTokens: 4 })
  const leaving = new AbortController()
  const response = await fetch(`${front.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${front.keys.valid}` },
    body: JSON.stringify({ model: 'test/chat', stream: true, messages: [{ role: 'user', content }] }),
    signal: leaving.signal,
  })
  const decoder = new TextDecoder()
  let read = ''
  for await (const bytes of response.body ?? []) {
    read += decoder.decode(bytes)
    if (read.includes('"content":"c"')) break
  }
  leaving.abort()
  const requestId = response.headers.get('x-request-id')
  const line = await front.line((each) => each.requestId === requestId)
  const behind = await back.line(({ callerRequestId }) => callerRequestId === requestId)
  expect(line.used).toMatchObject({ promptTokens: 9, cachedTokens: 4, completionTokens: 3, reasoningTokens: 1 })
  expect(behind.used).toEqual(line.used)
  expect(front.stores.usage.find(requestId ?? '')?.isEstimated ?? false).toBe(false)
})

test('a key that the box behind does not take is a matter of the operator', async () => {
  const lines: string[] = []
  await using box = startTestServer({
    models: { 'test/embed': servedBy('inferd', [{ url: back.baseUrl }], { type: 'embedding', upstream: { model } }) },
    upstream: { readKey: async () => 'sk-inferd-other', log: ({ message }) => lines.push(message) },
  })
  const refused = await answer(box, '/embeddings', { model, input: 'a' })
  expect(refused).toMatchObject({ status: 503, text: { error: { code: 'model_unavailable' } } })
  expect(JSON.stringify([refused, lines, box.lines])).not.toContain('sk-inferd-other')
})

test('a box that stands behind itself says so, and does not ask itself without end', async () => {
  const endpoints: string[] = []
  const lines: string[] = []
  await using box = startTestServer({
    models: { 'test/embed': servedBy('inferd', [], { type: 'embedding', upstream: { model, endpoints } }) },
    upstream: { readKey: async () => box.keys.valid, log: ({ message }) => lines.push(message) },
  })
  endpoints.push(box.baseUrl)
  expect(await answer(box, '/embeddings', { model, input: 'a' })).toMatchObject({ status: 502 })
  await box.drained()
  expect(box.lines.filter(({ endpoint }) => endpoint === 'embeddings').map(({ status }) => status)).toEqual([421, 502])
  expect(lines.join()).toContain('in a circle')
})

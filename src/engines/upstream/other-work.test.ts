/** Requests to servers of each flavor for work other than chats, over real sockets, and the answers made of theirs. */
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import type { ModelManifest } from '../../core/model.ts'
import type { UpstreamFlavor } from '../../core/upstream.ts'
import { recording } from '../../testing/recording.ts'
import { startTestServer } from '../../testing/test-server.ts'
import { servedBy } from '../../testing/upstream/upstream-host.ts'

interface Asked {
  readonly path: string
  readonly body: Record<string, unknown>
}

/** Next answers by path. `asked` collects the requests. */
const answers = new Map<string, (asked: Asked) => Response | Promise<Response>>()
const asked: Asked[] = []
const behind = Bun.serve({
  port: 0,
  async fetch(request) {
    const path = new URL(request.url).pathname
    if (path === '/v1/models') return Response.json({ data: [{ id: 'served' }] })
    if (request.method === 'GET') return new Response('', { status: path === '/health' ? 200 : 404 })
    const isForm = request.headers.get('content-type')?.startsWith('multipart/') === true
    const body = isForm ? fields(await request.formData()) : (JSON.parse(await request.text()) as Asked['body'])
    asked.push({ path, body })
    return (await answers.get(path)?.({ path, body })) ?? new Response('nothing here', { status: 404 })
  },
})

function fields(form: Awaited<ReturnType<Response['formData']>>): Asked['body'] {
  const read: Record<string, unknown> = {}
  for (const [name, value] of form as unknown as Iterable<[string, string | File]>) {
    const text = typeof value === 'string' ? value : `${value.name} ${value.size}`
    read[name] = name in read ? [read[name], text].flat() : text
  }
  return read
}

const types = { embed: 'embedding', rerank: 'rerank', ears: 'stt', voice: 'tts', chat: 'chat' } as const
const flavors: readonly UpstreamFlavor[] = ['vllm', 'sglang', 'llamacpp', 'openai', 'inferd']
const encoder = { queryPrefix: 'query: ', documentPrefix: 'passage: ', normalize: true } as ModelManifest['encoder']
const server = startTestServer({
  models: Object.fromEntries([
    ...flavors.flatMap((flavor) =>
      Object.entries(types).map(([name, type]) => [
        `${flavor}/${name}`,
        servedBy(flavor, [{ url: `${behind.url.origin}/v1` }], { type }),
      ]),
    ),
    ['vllm/prefixed', servedBy('vllm', [{ url: `${behind.url.origin}/v1` }], { type: 'embedding', encoder })],
  ]),
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await behind.stop(true)
})
afterEach(() => {
  answers.clear()
  asked.length = 0
})

async function post(path: string, body: object) {
  const response = await server.post(`/v1${path}`, body)
  const type = response.headers.get('content-type') ?? ''
  return { status: response.status, body: Object(await (type.includes('json') ? response.json() : response.bytes())) }
}

function transcribe(model: string, extra: readonly (readonly [string, string])[] = [], path = '/audio/transcriptions') {
  const form = new FormData()
  form.set('model', model)
  for (const [name, value] of extra) form.append(name, value)
  form.set('file', new File([recording(2)], 'x.wav'))
  const headers = { authorization: `Bearer ${server.keys.valid}` }
  return fetch(server.baseUrl + path, { method: 'POST', headers, body: form })
}

const base64 = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer).toString('base64')
const vectors = (...data: unknown[]) =>
  Response.json({ data: data.map((embedding, index) => ({ index, embedding })), usage: { prompt_tokens: 6 } })

describe('embeddings', () => {
  test.each<[flavor: UpstreamFlavor, more: object, cut: object]>([
    ['vllm', { encoding_format: 'base64' }, { truncate_prompt_tokens: -1, truncation_side: 'right' }],
    ['sglang', {}, {}],
    ['llamacpp', { encoding_format: 'base64' }, {}],
    ['openai', { encoding_format: 'base64' }, {}],
    ['inferd', { encoding_format: 'base64' }, { truncate: 'END' }],
  ])('as %s wants them', async (flavor, more, cut) => {
    answers.set('/v1/embeddings', () => vectors([3, 4], base64(0, -2)))
    const { body } = await post('/embeddings', { model: `${flavor}/embed`, input: ['a', 'b'], truncate: true })
    expect(asked).toEqual([{ path: '/v1/embeddings', body: { model: 'served', input: ['a', 'b'], ...more, ...cut } }])
    expect(body.data.map(({ embedding }: { embedding: number[] }) => embedding)).toEqual([
      [Math.fround(0.6), Math.fround(0.8)],
      [0, -1],
    ])
    expect(body.usage).toEqual({ prompt_tokens: 6, total_tokens: 6 })
  })

  test('prefixes of the manifest stand before texts, not before token ids', async () => {
    answers.set('/v1/embeddings', ({ body: { input } }) => vectors(...Array(Object(input).length).fill([1])))
    await post('/embeddings', { model: 'vllm/prefixed', input: 'a', input_type: 'query' })
    await post('/embeddings', { model: 'vllm/prefixed', input: ['a', 'b'], input_type: 'document' })
    await post('/embeddings', { model: 'vllm/prefixed', input: [[1, 2]], input_type: 'document' })
    expect(asked.map(({ body }) => body.input)).toEqual([['query: a'], ['passage: a', 'passage: b'], [[1, 2]]])
  })

  test('what they are for is told where the server knows it', async () => {
    answers.set('/v1/embeddings', () => vectors([1]))
    await post('/embeddings', { model: 'inferd/embed', input: 'a', input_type: 'query' })
    await post('/embeddings', { model: 'vllm/embed', input: 'a', input_type: 'query' })
    expect(asked.map(({ body }) => body.input_type)).toEqual(['query', undefined])
  })

  test('many texts are asked in several calls, and counted together', async () => {
    answers.set('/v1/embeddings', ({ body: { input } }) =>
      vectors(...Object(input).map((text: string) => [1, Number(text)])),
    )
    const input = Array.from({ length: 300 }, (_, at) => `${at}`)
    const { body } = await post('/embeddings', { model: 'vllm/embed', input })
    expect(asked.map(({ body: { input: texts } }) => Object(texts).length)).toEqual([128, 128, 44])
    const numbers = body.data.map(({ embedding: [one, other] }: { embedding: number[] }) =>
      Math.round(Number(other) / Number(one)),
    )
    expect(numbers).toEqual(input.map(Number))
    expect(body.usage.prompt_tokens).toBe(18)
  })

  test('tokens are estimated where they are not counted', async () => {
    answers.set('/v1/embeddings', () => Response.json({ data: [{ embedding: [1] }] }))
    const { body } = await post('/embeddings', { model: 'openai/embed', input: 'twelve chars' })
    expect(body.usage.prompt_tokens).toBe(4)
  })

  test.each<[what: string, answer: () => Response]>([
    ['too few vectors', () => vectors()],
    ['a page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['a refusal', () => Response.json({ error: { message: 'no such field' } }, { status: 400 })],
    ['a fault', () => new Response('broken', { status: 500 })],
  ])('%s is a fault of the server', async (_, answer) => {
    answers.set('/v1/embeddings', answer)
    const { status, body } = await post('/embeddings', { model: 'vllm/embed', input: 'a' })
    expect([status, body.error.code]).toEqual([502, 'engine_failed'])
  })

  test.each<[flavor: UpstreamFlavor, status: number, message: string]>([
    [
      'vllm',
      400,
      "This model's maximum context length is 512 tokens. However, you requested 600 tokens (600 in the input).",
    ],
    [
      'llamacpp',
      500,
      'input (600 tokens) is too large to process. increase the physical batch size (current batch size: 512)',
    ],
  ])('a text that %s finds too long is named', async (flavor, status, message) => {
    answers.set('/v1/embeddings', () => Response.json({ error: { message } }, { status }))
    // Often enough to open the breaker if the server were at fault.
    for (const _ of [1, 2, 3, 4]) {
      const { status: own, body } = await post('/embeddings', { model: `${flavor}/embed`, input: 'a' })
      expect(own).toBe(400)
      expect(body.error).toMatchObject({ code: 'context_length_exceeded', param: 'input' })
      expect(body.error.message).toContain('512')
    }
  })
})

describe('documents', () => {
  const documents = ['a', 'b']
  test.each<[flavor: UpstreamFlavor, more: object, refuse: object]>([
    ['vllm', { truncate_prompt_tokens: -1 }, {}],
    ['sglang', { return_documents: false }, { return_documents: false }],
    ['llamacpp', {}, {}],
    ['inferd', {}, { truncation: false }],
  ])('as %s wants them', async (flavor, more, refuse) => {
    const list = [1, 0].map((index) => ({ index, score: index, meta_info: { prompt_tokens: 3 } }))
    const results = [1, 0].map((index) => ({ index, relevance_score: index }))
    answers.set('/v1/rerank', () => Response.json(flavor === 'sglang' ? list : { results, usage: { total_tokens: 6 } }))
    const request = { model: `${flavor}/rerank`, query: 'q', documents }
    const { body } = await post('/rerank', request)
    await post('/rerank', { ...request, truncation: false })
    const sent = { model: 'served', query: 'q', documents }
    expect(asked.map((each) => each.body)).toEqual([
      { ...sent, ...more },
      { ...sent, ...refuse },
    ])
    expect(body.results).toEqual([1, 0].map((index) => ({ index, relevance_score: index })))
    expect(body.usage.prompt_tokens).toBe(6)
  })

  test('are not cut at a number of tokens where the server cannot', async () => {
    const { status, body } = await post('/rerank', {
      model: 'sglang/rerank',
      query: 'q',
      documents,
      max_tokens_per_doc: 9,
    })
    expect([status, body.error.param, asked.length]).toEqual([400, 'max_tokens_per_doc', 0])
  })
})

describe('recordings', () => {
  const file = 'recording.wav 64044'
  test.each<[flavor: UpstreamFlavor, more: object]>([
    ['vllm', { response_format: 'verbose_json', prompt: 'Ada' }],
    ['sglang', { response_format: 'verbose_json' }],
    ['llamacpp', { response_format: 'json' }],
    ['openai', { response_format: 'verbose_json', prompt: 'Ada' }],
    ['inferd', { response_format: 'verbose_json', prompt: 'Ada' }],
  ])('as %s wants them', async (flavor, more) => {
    answers.set('/v1/audio/transcriptions', () => Response.json({ text: 'Hi.' }))
    const response = await transcribe(`${flavor}/ears`, [
      ['prompt', 'Ada'],
      ['language', 'de'],
      ['response_format', 'text'],
    ])
    expect(await response.text()).toBe('Hi.\n')
    expect(asked.map(({ body }) => body)).toEqual([{ model: 'served', file, language: 'de', ...more }])
  })

  test.each<[flavor: UpstreamFlavor, more: object]>([
    ['openai', { prompt: 'Ada, Ben, Eve' }],
    [
      'inferd',
      {
        prompt: 'Ada',
        keywords: '["Ben","Eve"]',
        'chunking_strategy[type]': 'server_vad',
        'chunking_strategy[threshold]': '0.25',
        'chunking_strategy[silence_duration_ms]': '300',
      },
    ],
    ['sglang', {}],
  ])('keywords and rules of speech as %s takes them', async (flavor, more) => {
    answers.set('/v1/audio/transcriptions', () => Response.json({ text: 'Hi.' }))
    await transcribe(`${flavor}/ears`, [
      ['prompt', 'Ada'],
      ['keywords[]', 'Ben'],
      ['keywords[]', 'Eve'],
      ['chunking_strategy', '{"type":"server_vad","threshold":0.25,"silence_duration_ms":300}'],
    ])
    expect(asked.map(({ body }) => body)).toEqual([{ model: 'served', file, response_format: 'verbose_json', ...more }])
  })

  test.each(flavors)('%s translates them, or is not asked', async (flavor) => {
    answers.set('/v1/audio/translations', () => Response.json({ text: 'Good day.' }))
    const response = await transcribe(`${flavor}/ears`, [['prompt', 'Ada']], '/audio/translations')
    if (['sglang', 'llamacpp'].includes(flavor)) {
      expect(await response.json()).toMatchObject({ error: { code: 'translation_unsupported', param: 'model' } })
      expect(asked).toEqual([])
    } else {
      expect(await response.json()).toMatchObject({ text: 'Good day.' })
      const body = { model: 'served', file, response_format: 'verbose_json', prompt: 'Ada' }
      expect(asked).toEqual([{ path: '/v1/audio/translations', body }])
    }
  })

  test('are asked for without segments where the model has none, from then on at once', async () => {
    answers.set('/v1/audio/transcriptions', ({ body }) =>
      body.response_format === 'json' ? Response.json({ text: 'Hi.' }) : new Response('no', { status: 400 }),
    )
    for (const _ of [1, 2]) expect((await transcribe('openai/ears')).status).toBe(200)
    expect(asked.map(({ body }) => body.response_format)).toEqual(['verbose_json', 'json', 'json'])
  })

  test.each<[flavor: UpstreamFlavor, field: readonly [string, string], param: string]>([
    ['vllm', ['timestamp_granularities[]', 'word'], 'timestamp_granularities'],
    ['openai', ['diarize', 'true'], 'diarize'],
    ['openai', ['response_format', 'diarized_json'], 'response_format'],
  ])('%s cannot tell everything: %s', async (flavor, field, param) => {
    const response = await transcribe(`${flavor}/ears`, [['response_format', 'verbose_json'], field])
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { param } })
    expect(asked).toEqual([])
  })
})

describe('speech', () => {
  const audio = (bytes: Uint8Array<ArrayBuffer>, type = 'audio/x') =>
    new Response(bytes, { headers: { 'content-type': type } })
  test.each<[flavor: UpstreamFlavor, format: string, asks: string]>([
    ['vllm', 'mp3', 'mp3'],
    ['vllm', 'pcm', 'wav'],
    ['openai', 'pcm', 'pcm'],
    ['openai', 'opus', 'opus'],
    ['inferd', 'wav', 'pcm'],
  ])('of %s as %s', async (flavor, response_format, asks) => {
    const samples = Buffer.from(Int16Array.from({ length: 99 }, (_, at) => at).buffer)
    const { wavHeader } = await import('../../core/wav-header.ts')
    answers.set('/v1/audio/speech', () =>
      audio(asks === 'wav' ? Buffer.concat([wavHeader(samples.length), samples]) : samples),
    )
    const { body } = await post('/audio/speech', {
      model: `${flavor}/voice`,
      input: 'Hi',
      voice: 'vivian',
      response_format,
    })
    expect(asked[0]?.body).toEqual({ model: 'served', input: 'Hi', voice: 'vivian', response_format: asks })
    const header = response_format === 'wav' ? 44 : 0
    expect(Buffer.from(body).subarray(header).equals(samples)).toBe(true)
  })

  test('at another rate is brought to ours', async () => {
    answers.set(
      '/v1/audio/speech',
      () => new Response(new Uint8Array(9_600), { headers: { 'content-type': 'audio/pcm', 'x-sample-rate': '48000' } }),
    )
    const { body } = await post('/audio/speech', {
      model: 'openai/voice',
      input: 'Hi',
      voice: 'a',
      response_format: 'pcm',
    })
    expect(body.length).toBe(4_800)
  })

  test.each<[what: string, answer: () => Response]>([
    ['a message', () => Response.json({ error: 'no such voice' })],
    ['nothing', () => audio(new Uint8Array())],
    ['no WAV file', () => audio(new Uint8Array(99))],
  ])('%s is none', async (_, answer) => {
    answers.set('/v1/audio/speech', answer)
    const { status } = await post('/audio/speech', {
      model: 'vllm/voice',
      input: 'Hi',
      voice: 'a',
      response_format: 'pcm',
    })
    expect(status).toBe(502)
  })
})

describe('the length of a prompt', () => {
  const count = (flavor: UpstreamFlavor) =>
    post('/messages/count_tokens', {
      model: `${flavor}/chat`,
      messages: [{ role: 'user', content: 'How long is it?' }],
    })

  test.each<[flavor: UpstreamFlavor, replies: Record<string, object>]>([
    ['vllm', { '/tokenize': { count: 42, tokens: [] } }],
    ['sglang', { '/v1/tokenize': { count: 42, tokens: [] } }],
    ['llamacpp', { '/apply-template': { prompt: '<user>How' }, '/tokenize': { tokens: Array(42).fill(1) } }],
    ['inferd', { '/v1/messages/count_tokens': { input_tokens: 42 } }],
  ])('is counted by %s', async (flavor, replies) => {
    for (const [path, reply] of Object.entries(replies)) answers.set(path, () => Response.json(reply))
    expect((await count(flavor)).body.input_tokens).toBe(42)
    expect(asked.map(({ path }) => path)).toEqual(Object.keys(replies))
  })

  test.each(flavors)('is estimated where %s does not', async (flavor) => {
    const { status, body } = await count(flavor)
    expect([status, body.input_tokens]).toEqual([200, 9])
  })
})

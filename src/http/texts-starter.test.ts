/** The starter embedder and reranker over real sockets: clients' results, and charges when something fails. */

import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI from 'openai'
import { cosine } from '../engines/onnx/text/golden.ts'
import { starterTextModel } from '../testing/starter-text-models.ts'
import { startTestServer } from '../testing/test-server.ts'

const priceNanoUsd = 10_000_000_000
const pricing = { priceNanoUsd, unit: '1M_tokens' } as const
const nanoUsdPerToken = priceNanoUsd / 1_000_000
const folder = mkdtempSync(join(tmpdir(), 'inferd-encode-'))
const damagedFile = join(folder, 'damaged.onnx')
const embedder = starterTextModel('embedding')
writeFileSync(damagedFile, readFileSync(embedder.filePaths.model ?? '').subarray(0, 100_000))

/** Returns the model under another id, with a price high enough to see. */
const served = (id: string, { manifest, filePaths }: ReturnType<typeof starterTextModel>) => ({
  [id]: { manifest: { ...manifest, id, aliases: [], pricing }, filePaths },
})
const server = startTestServer({
  models: {
    ...served('test/embed', embedder),
    ...served('test/rerank', starterTextModel('rerank')),
    ...served('test/damaged', starterTextModel('embedding', {}, { model: damagedFile })),
  },
  engine: { threads: 1 },
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const openai = new OpenAI({ baseURL: server.baseUrl, apiKey: server.keys.valid, maxRetries: 0 })
const long = 'The river flows through the old town and under three bridges. '.repeat(30)

test('the OpenAI client gets the same vectors as base64, which it asks for itself, and as numbers', async () => {
  const input = ['How do I reset my password?', long, 'x']
  const decoded = await openai.embeddings.create({ model: 'test/embed', input })
  const numbers = await openai.embeddings.create({ model: 'test/embed', input, encoding_format: 'float' })
  expect(decoded.data).toEqual(numbers.data)
  expect(decoded.data.map(({ embedding }) => embedding.length)).toEqual([256, 256, 256])
  expect(decoded.usage).toEqual(numbers.usage)
})

test('token ids of this model give the vector of their text, those of another a clear 400', async () => {
  const ids = [7, 8, 9]
  const [first, second] = (await openai.embeddings.create({ model: 'test/embed', input: [ids, ids] })).data
  expect(first?.embedding).toEqual(second?.embedding ?? [])
  const foreign = { model: 'test/embed', input: [100_257, 15_339] }
  const error = await openai.embeddings.create(foreign).catch((thrown) => thrown)
  expect(error.message).toMatch(/another model's.*check_embedding_ctx_length=False/)
  expect(error).toMatchObject({ status: 400, param: 'input' })
})

test('related texts are nearer than others, and the document that answers comes first', async () => {
  const input = ['How can I change my password?', 'How do I reset my password?', 'Bake the bread for forty minutes.']
  const [change = [], reset = [], bread = []] = (
    await openai.embeddings.create({ model: 'test/embed', input })
  ).data.map(({ embedding }) => embedding)
  expect(cosine(change, reset)).toBeGreaterThan(cosine(change, bread) + 0.3)
  const documents = [
    'Bake the bread for forty minutes.',
    { text: 'Reset the password on the sign-in page.' },
    'Passwords.',
  ]
  const query = 'reset my password'
  const answer = await server.post('/v1/rerank', {
    model: 'test/rerank',
    query,
    documents,
    top_n: 2,
    return_documents: true,
  })
  const { results } = Object(await answer.json())
  expect(results).toHaveLength(2)
  expect(results[0]).toMatchObject({ index: 1, document: documents[1] })
})

test('a text that the model cannot read is named with both numbers, and costs nothing', async () => {
  const payer = server.payer(1_000_000_000)
  const response = await embed(payer.key, 'test/embed', ['x', long])
  expect(response.status).toBe(200)
  const charged = 1_000_000_000 - payer.money().balance
  const refused = await embed(payer.key, 'test/embed', ['x', long.repeat(2)])
  expect(refused.status).toBe(400)
  const { error } = Object(await refused.json())
  expect(error).toMatchObject({ code: 'context_length_exceeded', param: 'input[1]' })
  expect(error.message).toMatch(/at most 512 tokens.* has \d{3}\./)
  expect(1_000_000_000 - payer.money().balance).toBe(charged)
  expect(payer.money().held).toBe(0)
})

test('where it may be cut, what is left is read and paid for', async () => {
  const payer = server.payer(1_000_000_000)
  const post = (path: string, body: object) =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/embed', ...body }),
    })
  const tooLong = `moon ${long.repeat(3)} sun`
  const plain = await post('/v1/embeddings', { input: tooLong, truncate: 'START' })
  expect(Object(await plain.json()).usage).toEqual({ prompt_tokens: 512, total_tokens: 512 })
  expect(payer.money()).toEqual({ balance: 1_000_000_000 - 512 * nanoUsdPerToken, held: 0 })
  const ids = await post('/v1/embeddings', { input: [[7], Array(600).fill(8)], truncate: true })
  expect(Object(await ids.json()).usage.prompt_tokens).toBe(1 + 512)
  // Cohere's dialect cuts texts at their end by default.
  const cohere = { texts: [tooLong, `${tooLong} and more`, `${tooLong} and`], input_type: 'clustering' }
  const { embeddings, meta } = Object(await (await post('/v2/embed', cohere)).json())
  expect(meta.billed_units).toEqual({ input_tokens: 3 * 512 })
  expect(cosine(embeddings.float[0], embeddings.float[1])).toBeGreaterThan(0.999_99)
  const refused = await post('/v2/embed', { ...cohere, truncate: 'NONE' })
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({ code: 'context_length_exceeded', param: 'texts[0]' })
})

test('bytes and bits of a real vector say nearly what it says', async () => {
  const vectors = async (embedding_types: string[]) => {
    const body = {
      model: 'test/embed',
      texts: ['Reset my password.', 'Bake bread.'],
      input_type: 'clustering',
      embedding_types,
    }
    return Object(await (await server.post('/v2/embed', body)).json()).embeddings
  }
  const { float, int8, uint8, ubinary, binary } = await vectors(['float', 'int8', 'uint8', 'ubinary', 'binary'])
  for (const index of [0, 1]) {
    const bytes: number[] = int8[index]
    expect(cosine(float[index], bytes)).toBeGreaterThan(0.999)
    expect(uint8[index]).toEqual(bytes.map((byte) => byte + 128))
    expect(ubinary[index]).toHaveLength(32)
    expect(binary[index]).toEqual(ubinary[index].map((byte: number) => byte - 128))
  }
})

test('a damaged model is 503 that says who can help, and costs nothing', async () => {
  const payer = server.payer(1_000_000_000)
  const response = await embed(payer.key, 'test/damaged', ['x'])
  expect(response.status).toBe(503)
  expect(Object(await response.json()).error).toMatchObject({ code: 'model_unavailable' })
  expect(payer.money()).toEqual({ balance: 1_000_000_000, held: 0 })
  expect((await embed(payer.key, 'test/embed', ['x'])).status).toBe(200)
})

test('a model killed while 20 requests wait: each is answered by the next process and charged once', async () => {
  const payer = server.payer(1_000_000_000_000)
  await embed(payer.key, 'test/embed', ['x'])
  const before = payer.money().balance
  const engine = server.pool.status().find(({ modelId }) => modelId === 'test/embed')
  const waiting = Array.from({ length: 20 }, () => embed(payer.key, 'test/embed', Array(20).fill(long)))
  const open = () => server.pool.status().find(({ modelId }) => modelId === 'test/embed')
  while ((open()?.running ?? 0) + (open()?.waiting ?? 0) < 20) await new Promise(setImmediate)
  process.kill(engine?.pid ?? 0, 'SIGKILL')
  const answers = await Promise.all(waiting)
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  const counts = await Promise.all(answers.map(async (answer) => Object(await answer.json()).usage.prompt_tokens))
  const tokens = counts.reduce((sum, count) => sum + count, 0)
  expect(payer.money()).toEqual({ balance: before - tokens * nanoUsdPerToken, held: 0 })
  expect(server.pool.status().find(({ modelId }) => modelId === 'test/embed')?.pid).not.toBe(engine?.pid)
}, 60_000)

test('a client that leaves pays for the texts that were computed, by the count of the engine', async () => {
  const payer = server.payer(1_000_000_000_000)
  await embed(server.keys.valid, 'test/embed', ['x'])
  const counted = async () => (await server.pool.stats('test/embed'))?.decodedPromptTokens ?? 0
  const before = await counted()
  const client = new AbortController()
  const left = embed(payer.key, 'test/embed', Array(200).fill(long), client.signal).catch(() => 'left')
  // Wait until this request is computed beside the other one.
  while ((await counted()) === before) await new Promise(setImmediate)
  client.abort()
  expect(await left).toBe('left')
  const { requestId } = await server.line((line) => line.accountId === payer.accountId)
  const tokens = (await counted()) - before
  expect(server.stores.usage.find(requestId)).toMatchObject({
    finish: 'client_disconnect',
    used: { promptTokens: tokens },
    chargedNanoUsd: tokens * nanoUsdPerToken,
  })
  expect(payer.money()).toEqual({ balance: 1_000_000_000_000 - tokens * nanoUsdPerToken, held: 0 })
})

function embed(key: string, model: string, input: readonly string[], signal?: AbortSignal): Promise<Response> {
  return fetch(`${server.baseUrl}/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, input }),
    ...(signal === undefined ? {} : { signal }),
  })
}

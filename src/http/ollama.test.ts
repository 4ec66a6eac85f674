/** Ollama's API over real sockets, against scripted engines. */
import { afterAll, describe, expect, test } from 'bun:test'
import { startTestServer } from '../testing/test-server.ts'
import { textModels } from '../testing/text-models.ts'

const thinker = { manifest: { aliases: [{ id: 'plain' }], capabilities: { reasoning: 'none', tools: true } } } as const
const server = startTestServer({ models: { ...textModels, 'test/Plain': thinker } })
afterAll(() => server[Symbol.asyncDispose]())

const script = (...actions: unknown[]) => JSON.stringify({ script: actions })
const ask = (content: string) => [{ role: 'user', content }]
const json = async (path: string, body: object) => {
  const response = await server.post(path, body)
  return { status: response.status, ...((await response.json()) as object) }
}
const get = async (path: string) => {
  const headers = { authorization: `Bearer ${server.keys.valid}` }
  return (await (await fetch(server.url + path, { headers })).json()) as { readonly models: readonly Row[] }
}

interface Row {
  readonly name: string
  readonly capabilities: readonly string[]
  readonly details: object
  readonly expires_at: string
  readonly context_length: number
}

test('a stream is lines of JSON that end with the numbers', async () => {
  const response = await server.post('/api/chat', { model: 'fake', messages: ask('one two') })
  expect(response.headers.get('content-type')).toBe('application/x-ndjson')
  const body = await response.text()
  const lines = body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(body).toEndWith('}\n')
  expect(lines.map(({ message, done }) => [message.content, done])).toEqual([
    ['one ', false],
    ['two', false],
    ['', true],
  ])
  const last = lines.at(-1)
  const spent = last.load_duration + last.prompt_eval_duration + last.eval_duration
  expect(spent).toBeLessThanOrEqual(last.total_duration)
  for (const part of ['load_duration', 'prompt_eval_duration', 'eval_duration']) expect(last[part]).toBeInteger()
})

test('a failure after the first line is a line, and nothing follows it', async () => {
  const failure = { error: { kind: 'engine', code: 'engine_failed', message: 'The engine stopped.' } }
  const response = await server.post('/api/generate', { model: 'fake', prompt: script({ text: 'a' }, failure) })
  const lines = (await response.text()).trimEnd().split('\n')
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ error: 'The engine stopped.', code: 'engine_failed' })
  expect(lines).toHaveLength(2)
})

test('a failure before the first line is a status, also where a stream was asked for', async () => {
  const failure = { error: { kind: 'invalid_request', code: 'invalid_value', message: 'It does not fit.' } }
  const answer = await json('/api/chat', { model: 'fake', messages: ask(script(failure)) })
  expect(answer).toMatchObject({ status: 400, error: 'It does not fit.', code: 'invalid_value' })
})

test.each(['fake', 'fake:latest', 'FAKE', 'Test/Fake:LATEST', 'test/plain'])(
  'a model is found as %s',
  async (model) => {
    const answer = await json('/api/generate', { model, prompt: 'hi', stream: false })
    expect(answer).toMatchObject({ status: 200, model, response: 'hi' })
  },
)

test('a model is found below /v1 as it is listed here', async () => {
  for (const model of ['test/fake:latest', 'FAKE'])
    expect((await server.post('/v1/chat/completions', { model, messages: ask('hi') })).status).toBe(200)
  expect(await get('/v1/models/test/fake:latest')).toMatchObject({ id: 'test/fake' })
})

test('a model is shown by either spelling of its field, also where the other one is empty', async () => {
  expect(await json('/api/show', { model: '', name: 'fake' })).toMatchObject({ status: 200 })
  expect(await json('/api/show', { model: 'fake', name: '' })).toMatchObject({ status: 200 })
  expect(await json('/api/show', { model: '', name: '' })).toMatchObject({ status: 400, error: 'model is required' })
})

test.each([
  [{ model: 'none:7b', prompt: 'hi' }, 404, "model 'none:7b' not found, try pulling it first"],
  [{ prompt: 'hi' }, 400, 'model is required'],
  [{ model: 'plain', prompt: 'hi', think: true }, 400, '"plain" does not support thinking'],
  [{ model: 'embedder', prompt: 'hi' }, 400, "Model 'test/embedder' is of type 'embedding'"],
])('%j is refused', async (body, status, words) => {
  const answer = await json('/api/generate', body)
  expect(answer).toMatchObject({ status, error: expect.stringContaining(words) })
})

test('a model that cannot think is told not to', async () => {
  expect((await json('/api/generate', { model: 'plain', prompt: 'hi', think: false, stream: false })).status).toBe(200)
})

test('a body may be called anything', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
    const body = { model: 'fake', prompt: 'hi', stream: false }
    expect((await server.post('/api/generate', body, { 'content-type': type })).status).toBe(200)
  }
})

test('every version is a plain one, and HEAD is answered', async () => {
  const headers = { authorization: `Bearer ${server.keys.valid}` }
  expect(await (await fetch(`${server.url}/api/version`, { headers })).json()).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
  })
  for (const path of ['/api/version', '/api/tags'])
    expect((await fetch(server.url + path, { method: 'HEAD', headers })).status).toBe(200)
})

describe('models', () => {
  test('lists and details agree', async () => {
    const { models } = await get('/api/tags')
    expect(models.map(({ name }) => name)).toContain('fake:latest')
    expect(models.map(({ name }) => name)).not.toContain('test/reranker:latest')
    for (const { name, capabilities, details } of models) {
      expect(await json('/api/show', { model: name })).toMatchObject({ status: 200, capabilities, details })
    }
    expect(models.find(({ name }) => name === 'plain:latest')?.capabilities).toEqual(['completion', 'tools'])
    expect(models.find(({ name }) => name === 'test/embedder:latest')?.capabilities).toEqual(['embedding'])
  })

  test('an unknown one is not shown', async () => {
    expect(await json('/api/show', { name: 'none' })).toMatchObject({ status: 404, code: 'model_not_found' })
    expect(await json('/api/show', {})).toMatchObject({ status: 400, error: 'model is required' })
  })

  test('one is loaded, kept, and unloaded', async () => {
    const expiry = async () =>
      (await get('/api/ps')).models
        .filter(({ name }) => name === 'test/Plain:latest')
        .map((row) => Date.parse(row.expires_at))
    const load = (fields: object) => json('/api/chat', { model: 'plain', ...fields })
    expect(await load({})).toMatchObject({ status: 200, done: true, done_reason: 'load', message: { content: '' } })
    expect((await expiry())[0]).toBeGreaterThan(Date.now() + 1e11)
    await load({ keep_alive: '5m' })
    const [kept = 0] = await expiry()
    expect(kept - Date.now()).toBeWithin(290_000, 300_001)
    await load({ keep_alive: -1 })
    expect((await expiry())[0]).toBeGreaterThan(Date.now() + 1e11)
    await load({ keep_alive: 1e12 })
    expect(await expiry()).toEqual([Date.UTC(2300, 0)])
    expect(await load({ messages: [], keep_alive: 0 })).toMatchObject({ done_reason: 'unload' })
    expect(await expiry()).toEqual([])
    expect(await load({ messages: [], keep_alive: 0 })).toMatchObject({ done_reason: 'unload' })
    // The next request is served by another process, which is kept for the usual time.
    expect(await load({ messages: ask('hi'), stream: false })).toMatchObject({ message: { content: 'hi' } })
    expect((await expiry())[0]).toBeGreaterThan(Date.now() + 1e11)
    await load({ messages: ask('hi'), stream: false, keep_alive: 0 })
    expect(await expiry()).toEqual([])
    // No process is left to unload, and the pool remembers nothing of one.
    const stops = () => server.pool.status().map(({ stops }) => ({ ...stops }))
    const before = stops()
    await load({ messages: [], keep_alive: 0 })
    expect(stops()).toEqual(before)
    await load({ messages: ask('hi'), stream: false })
    expect((await expiry())[0]).toBeGreaterThan(Date.now() + 1e11)
    await load({ messages: [], keep_alive: 0 })
  })

  test('what a member wishes of them is not heard', async () => {
    const { key } = server.payer(1_000_000_000)
    await json('/api/generate', { model: 'fake' })
    await server.post('/api/generate', { model: 'fake', keep_alive: 0 }, { authorization: `Bearer ${key}` })
    expect(server.pool.isLoaded('test/fake')).toBe(true)
    expect((await get('/api/ps')).models.map(({ name }) => name)).toContain('test/fake:latest')
  })
})

test('texts are embedded, and nothing is no error', async () => {
  const answer = await json('/api/embed', { model: 'embedder', input: ['one', 'two'] })
  expect(answer).toMatchObject({ status: 200, model: 'embedder', embeddings: [expect.any(Array), expect.any(Array)] })
  expect(await json('/api/embed', { model: 'embedder', input: '' })).toMatchObject({ status: 200, embeddings: [] })
  expect(await json('/api/embeddings', { model: 'embedder', prompt: '' })).toMatchObject({ status: 200, embedding: [] })
})

test('a chat costs what the same one costs below /v1, and loading costs nothing', async () => {
  await using metered = startTestServer({
    models: {
      'test/dear': {
        manifest: { aliases: [{ id: 'dear' }], pricing: { inputNanoUsd: 3e9, outputNanoUsd: 7e9, unit: '1M_tokens' } },
      },
    },
  })
  const payer = metered.payer(1_000_000_000)
  const headers = { authorization: `Bearer ${payer.key}` }
  const body = { model: 'dear', messages: ask('one two three') }
  await (await metered.post('/api/chat', { model: 'dear' }, headers)).text()
  expect(metered.stores.usage.list({ accountId: payer.accountId })).toEqual([])
  for (const path of ['/v1/chat/completions', '/api/chat', '/api/generate']) {
    await (await metered.post(path, { ...body, prompt: 'one two three' }, headers)).text()
  }
  const rows = metered.stores.usage.list({ accountId: payer.accountId })
  expect(rows).toHaveLength(3)
  const paid = rows.map(({ model, used, costNanoUsd, finish }) => ({ model, used, costNanoUsd, finish }))
  expect(new Set(paid.map((row) => JSON.stringify(row))).size).toBe(1)
  expect(rows[0]?.costNanoUsd).toBeGreaterThan(0)
})

test('what an aborted stream has made is billed', async () => {
  const payer = server.payer(1_000_000_000)
  const leaving = new AbortController()
  const response = await fetch(`${server.url}/api/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}` },
    body: JSON.stringify({
      model: 'fake',
      messages: ask(script({ text: 'a' }, { text: 'b' }, { waitForCancel: true })),
    }),
    signal: leaving.signal,
  })
  await response.body?.getReader().read()
  leaving.abort()
  await server.line(({ accountId }) => accountId === payer.accountId)
  const [row] = server.stores.usage.list({ accountId: payer.accountId })
  expect(row).toMatchObject({ finish: 'client_disconnect', used: { completionTokens: 2 } })
})

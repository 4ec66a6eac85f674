/** Answers to clients while their model is not loaded. */
import { afterAll, describe, expect, test } from 'bun:test'
import { FakeModels } from '../testing/fake-models.ts'
import { openRaw } from '../testing/raw-connection.ts'
import { startTestServer, type TestModel } from '../testing/test-server.ts'
import { preferredWaitMs } from './work-route.ts'

const GB = 1e9
const files = new FakeModels()
const gates = new Map<string, () => Promise<void>>()
const pricing = { inputNanoUsd: 10_000_000, outputNanoUsd: 30_000_000, unit: '1M_tokens' } as const

function gated(id: string, more: Parameters<FakeModels['make']>[2] = {}): [string, TestModel] {
  const { gate, open } = files.gate(id.replace('/', '-'))
  gates.set(id, open)
  const { filePaths } = files.make(id, GB, { gate, ...more })
  return [id, { manifest: { pricing }, filePaths }]
}

const large = files.make('wait/large', 50 * GB)
const server = startTestServer({
  config: { silentWaitMs: 10, keepAliveMs: 20 },
  pool: { poolSettings: { limitBytes: 10 * GB } },
  models: Object.fromEntries([
    ...['wait/a', 'wait/b', 'wait/c', 'wait/d', 'wait/gone'].map((id) => gated(id)),
    gated('wait/bad', { failure: 'bad-model' }),
    gated('wait/bad-messages', { failure: 'bad-model' }),
    ['wait/large', { manifest: { pricing }, filePaths: large.filePaths }],
  ]),
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  files[Symbol.dispose]()
})

function body(model: string, more: object = {}) {
  return { model, max_tokens: 10, messages: [{ role: 'user', content: 'one two' }], ...more }
}

const chat = '/v1/chat/completions'

function send(model: string, key: string, more: object = {}, headers: Record<string, string> = {}, path = chat) {
  return server.post(path, body(model, more), { authorization: `Bearer ${key}`, ...headers })
}

test('a stream begins while its model is loaded, and shows that it lives until there is more', async () => {
  const payer = server.payer(GB)
  const response = await send('wait/a', payer.key, { stream: true })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  expect(payer.money().held).toBe(0)
  const text = response.text()
  await gates.get('wait/a')?.()
  expect(await text).toMatch(/^(: keep-alive\n\n)+data: .*"role":"assistant"[\s\S]*data: \[DONE\]\n\n$/)
})

test('a stream of messages shows it by a ping', async () => {
  const payer = server.payer(GB)
  const response = await send('wait/b', payer.key, { stream: true }, {}, '/v1/messages')
  const text = response.text()
  await gates.get('wait/b')?.()
  expect(await text).toMatch(/^(event: ping\ndata: {"type":"ping"}\n\n)+event: message_start\n/)
})

test('an answer that is not streamed waits silently', async () => {
  const payer = server.payer(GB)
  const answered = send('wait/c', payer.key)
  await gates.get('wait/c')?.()
  const response = await answered
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'one two' } }] })
})

test.each([
  ['wait/bad', chat, /^(: keep-alive\n\n)+data: {"error":{.*"code":"model_unavailable".*}}\n\n$/],
  ['wait/bad-messages', '/v1/messages', /event: error\ndata: {"type":"error","error":{.*"code":"model_unavailable"/],
])(
  'a load of %s that fails after the stream began is an error in the stream, and costs nothing',
  async (id, path, expected) => {
    const payer = server.payer(GB)
    const response = await send(id, payer.key, { stream: true }, {}, path)
    expect(response.status).toBe(200)
    const text = response.text()
    await gates.get(id)?.()
    expect(await text).toMatch(expected)
    expect(payer.money()).toEqual({ balance: GB, held: 0 })
    // It is known now.
    expect((await send(id, payer.key, { stream: true }, {}, path)).status).toBeOneOf([503, 529])
  },
)

test('a client that would not wait is told when to come again, and pays nothing', async () => {
  const payer = server.payer(GB)
  const response = await send('wait/d', payer.key, {}, { prefer: 'wait=0' })
  expect(response.status).toBe(503)
  expect(Number(response.headers.get('retry-after'))).toBeWithin(1, 61)
  expect(await response.json()).toMatchObject({ error: { code: 'model_loading' } })
  expect(payer.money()).toEqual({ balance: GB, held: 0 })
})

test('a model that does not fit is refused with the numbers', async () => {
  const response = await send('wait/large', server.payer(GB).key)
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '60'])
  expect(await response.json()).toMatchObject({
    error: { code: 'insufficient_memory', message: expect.stringContaining('needs 50 GB') },
  })
})

test('a client that goes away while it waits leaves nothing behind', async () => {
  const payer = server.payer(GB)
  const connection = await openRaw(server.url)
  const text = JSON.stringify(body('wait/gone', { stream: true }))
  connection.socket.write(
    `POST ${chat} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${payer.key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  )
  await connection.until(': keep-alive')
  const seen = server.lines.length
  connection.socket.destroy()
  expect(await server.line((line) => server.lines.indexOf(line) >= seen)).toMatchObject({ isAborted: true })
  expect(server.pool.status().find(({ modelId }) => modelId === 'wait/gone')?.waiting).toBe(0)
  expect(payer.money()).toEqual({ balance: GB, held: 0 })
})

describe('the header Prefer', () => {
  test.each([
    ['wait=10', 10_000],
    ['respond-async, wait=5', 5_000],
    ['Wait = "7"; foo', 7_000],
    ['wait=0', 0],
    ['', undefined],
    ['await=3', undefined],
    ['wait=-1', undefined],
    ['wait=99999999999', undefined],
  ])('%p says %p ms', (header, ms) => {
    expect(preferredWaitMs(header)).toBe(ms)
  })
})

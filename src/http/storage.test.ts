/** What clients hear while the server cannot write its database: real files, real sockets, a fake engine. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Payer, startTestServer, type TestServer } from '../testing/test-server.ts'

const pricing = { inputNanoUsd: 1_000_000, outputNanoUsd: 1_000_000, unit: '1M_tokens' } as const

let folder = ''
let server: TestServer
let payer: Payer

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'inferd-storage-')), 'data')
  mkdirSync(folder)
  const models = { 'test/paid': { manifest: { pricing } } }
  server = startTestServer({ databasePath: join(folder, 'inferd.db'), models })
  payer = server.payer(1_000)
})

afterEach(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(join(folder, '..'), { recursive: true })
})

function ask(key: string, content = 'one two three'): Promise<Response> {
  const body = { model: 'test/paid', messages: [{ role: 'user', content }], max_tokens: 10 }
  return server.post('/v1/chat/completions', body, { authorization: `Bearer ${key}` })
}

async function expectRefused(response: Response, reason: string): Promise<void> {
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('5')
  const message = expect.stringContaining(reason)
  expect(await response.json()).toMatchObject({ error: { code: 'storage_unavailable', message } })
}

test('with its data folder gone the server takes no paid work, and goes on when the folder is back', async () => {
  const before = await ask(payer.key)
  expect(before.status).toBe(200)
  const { balance } = payer.money()
  renameSync(folder, `${folder}.away`)
  // The first look may be some milliseconds old; what is refused is refused by the commit then.
  for (const key of [payer.key, server.keys.valid]) await expectRefused(await ask(key), 'its files were moved')
  await expectRefused(await fetch(`${server.url}/ready`), 'its files were moved')
  expect((await fetch(`${server.url}/health`)).status).toBe(200)
  expect(payer.money().balance).toBe(balance)
  renameSync(`${folder}.away`, folder)
  expect((await ask(payer.key)).status).toBe(200)
  expect((await fetch(`${server.url}/ready`)).status).toBe(200)
  expect(payer.money()).toEqual({ balance: 2 * balance - 1_000, held: 0 })
})

test('nothing is charged into a folder that was replaced while an answer was written', async () => {
  const client = new AbortController()
  const content = JSON.stringify({ script: [{ text: 'one ' }, { waitForCancel: true }] })
  const response = await fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test/paid', messages: [{ role: 'user', content }], stream: true }),
    signal: client.signal,
  })
  await response.body?.getReader().read()
  renameSync(folder, `${folder}.away`)
  mkdirSync(folder)
  writeFileSync(join(folder, 'inferd.db'), '')
  client.abort()
  const requestId = response.headers.get('x-request-id') ?? ''
  const line = await server.line((candidate) => candidate.requestId === requestId)
  expect(line).toMatchObject({ code: 'storage_unavailable' })
  expect(server.stores.usage.find(requestId)).toBeUndefined()
  expect(payer.money().balance).toBe(1_000)
})

test('the messages dialect hears that it is worth another try', async () => {
  renameSync(folder, `${folder}.away`)
  const body = { model: 'test/paid', max_tokens: 5, messages: [{ role: 'user', content: 'a' }] }
  const response = await server.post('/v1/messages', body)
  expect(response.status).toBe(529)
  expect(await response.json()).toMatchObject({ error: { type: 'overloaded_error', code: 'storage_unavailable' } })
})

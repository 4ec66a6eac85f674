/** Answers to clients while the server cannot write its database: real files, real sockets, a fake engine. */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Payer, startTestServer, type TestServer } from '../testing/test-server.ts'
import { until } from '../testing/until.ts'

const pricing = { inputNanoUsd: 1_000_000, outputNanoUsd: 1_000_000, unit: '1M_tokens' } as const

let parent = ''
let folder = ''
let server: TestServer
let payer: Payer

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'inferd-storage-'))
  folder = join(parent, 'data')
  mkdirSync(folder)
  const models = { 'test/paid': { manifest: { pricing } } }
  server = startTestServer({ databasePath: join(folder, 'inferd.db'), models, lockWaitMs: 200 })
  payer = server.payer(1_000)
})

afterEach(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(parent, { recursive: true })
})

function ask(key: string, content = 'one two three'): Promise<Response> {
  const body = { model: 'test/paid', messages: [{ role: 'user', content }], max_tokens: 10 }
  return server.post('/v1/chat/completions', body, { authorization: `Bearer ${key}` })
}

/** Begins an answer that costs something and goes on until it is cancelled. Returns its request id. */
async function beginAnswer(signal: AbortSignal): Promise<string> {
  const content = JSON.stringify({ script: [{ text: 'one ' }, { waitForCancel: true }] })
  const response = await fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test/paid', messages: [{ role: 'user', content }], stream: true }),
    signal,
  })
  await response.body?.getReader().read()
  return response.headers.get('x-request-id') ?? ''
}

/** Locks the database against other writers until it is closed, as another process would. */
function lockDatabase(): Database {
  const other = new Database(join(folder, 'inferd.db'))
  other.run('BEGIN IMMEDIATE')
  return other
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
  // The cached check may be some milliseconds old; the commit then refuses instead.
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
  const requestId = await beginAnswer(client.signal)
  renameSync(folder, `${folder}.away`)
  mkdirSync(folder)
  writeFileSync(join(folder, 'inferd.db'), '')
  client.abort()
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

test('paid work is refused when another process has kept the database locked for too long, until it is free again', async () => {
  const lock = lockDatabase()
  const waiting = ask(payer.key)
  expect((await fetch(`${server.url}/health`)).status).toBe(200)
  await expectRefused(await waiting, 'another process keeps it locked')
  await expectRefused(await ask(payer.key), 'another process keeps it locked')
  await expectRefused(await fetch(`${server.url}/ready`), 'another process keeps it locked')
  expect(payer.money()).toEqual({ balance: 1_000, held: 0 })
  lock.close()
  await untilReady()
  expect((await ask(payer.key)).status).toBe(200)
})

test('an answer that cannot be charged because of a lock costs nothing, and what it held is free again', async () => {
  const client = new AbortController()
  const requestId = await beginAnswer(client.signal)
  expect(payer.money().held).toBeGreaterThan(0)
  const lock = lockDatabase()
  client.abort()
  const line = await server.line((candidate) => candidate.requestId === requestId)
  expect(line).toMatchObject({ code: 'storage_unavailable' })
  lock.close()
  await untilReady()
  expect((await ask(payer.key, 'one')).status).toBe(200)
  expect(payer.money().held).toBe(0)
  expect(server.stores.usage.find(requestId)).toBeUndefined()
})

async function untilReady(): Promise<void> {
  await until(
    'the server is ready',
    async () => (await fetch(`${server.url}/ready`)).status,
    (status) => status === 200,
  )
}

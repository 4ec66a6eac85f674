/**
 * A manifest that names other servers while requests run, and nothing left over at the end: real sockets, real engines
 * in the pool.
 */
import { expect, test } from 'bun:test'
import { textContent } from '../../core/content.ts'
import type { InstalledModel } from '../../core/model.ts'
import { chatRequest } from '../../testing/chat-request.ts'
import { testPool } from '../../testing/engine-pool.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import { type FakeUpstream, startFakeUpstream } from '../../testing/upstream/fake-upstream.ts'
import type { EnginePool } from '../pool.ts'
import { unlimited } from '../protocol/work-engines.ts'

function modelAt(...servers: FakeUpstream[]): InstalledModel {
  const endpoints = servers.map(({ url }) => url)
  const upstream = { flavor: 'vllm', model: 'served', endpoints, maxConcurrent: 4 } as const
  return { manifest: testManifest({ id: 'org/remote', engine: 'upstream', upstream }), filePaths: {} }
}

function ask(pool: EnginePool, model: InstalledModel) {
  const request = chatRequest({ messages: [{ role: 'user', content: textContent('one two') }] })
  const { signal } = new AbortController()
  return pool.run(model, { kind: 'chat', request }, { accountId: 'acc_1', signal, meter: unlimited })
}

async function textOf(events: ReturnType<typeof ask>): Promise<string> {
  let text = ''
  for await (const event of events) if (event.type === 'text-delta') text += event.text
  return text
}

/** Makes the server hold its answers. Returns a function that releases them. */
function heldAnswer(server: FakeUpstream): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.queue.push(async (_, play) => {
    await promise
    await play()
  })
  return resolve
}

test('requests end at the servers where they began, and the next ones go where the manifest says now', async () => {
  await using before = await startFakeUpstream({ flavor: 'vllm' })
  await using after = await startFakeUpstream({ flavor: 'vllm', prefix: 'after' })
  const pool = testPool()
  const answer = heldAnswer(before)
  const first = textOf(ask(pool, modelAt(before)))
  await before.record(0)
  const changed = modelAt(after)
  expect(await textOf(ask(pool, changed))).toStartWith('after')
  answer()
  expect(await first).toStartWith('one')
  expect(await textOf(ask(pool, changed))).toStartWith('after')
  expect([before.records.length, after.records.length]).toEqual([1, 2])
  await pool.stop()
})

test('a server is shared by the engines of two manifests: what the old one leaves behind does not hinder the new one', async () => {
  await using kept = await startFakeUpstream({ flavor: 'vllm' })
  await using added = await startFakeUpstream({ flavor: 'vllm' })
  const pool = testPool()
  const answer = heldAnswer(kept)
  const first = textOf(ask(pool, modelAt(kept)))
  await kept.record(0)
  const changed = modelAt(kept, added)
  await pool.load(changed)
  answer()
  await first
  for (let count = 0; count < 4; count++) expect(await textOf(ask(pool, changed))).toStartWith('one')
  await pool.stop()
})

test('a stop ends requests and their connections at once', async () => {
  await using server = await startFakeUpstream({ flavor: 'vllm' })
  const pool = testPool()
  heldAnswer(server)
  const first = textOf(ask(pool, modelAt(server)))
  const { exchange } = await server.record(0)
  const [outcome] = await Promise.all([first.catch((error: unknown) => String(error)), pool.stop()])
  expect(outcome).toContain('org/remote')
  await exchange.closedAtMs
})

test('a place that the engine of the old manifest gives back is taken by a request of the new one', async () => {
  await using server = await startFakeUpstream({ flavor: 'vllm' })
  const pool = testPool()
  const answer = heldAnswer(server)
  const first = textOf(ask(pool, modelAt(server)))
  await server.record(0)
  const { manifest, filePaths } = modelAt(server)
  const upstream = { ...(manifest.upstream ?? never()), maxConcurrent: 1 }
  const second = textOf(ask(pool, { manifest: { ...manifest, upstream }, filePaths }))
  const isAsked = () => pool.status()[0]?.waiting === 1 && pool.status()[0]?.state === 'ready'
  while (!isAsked()) await new Promise((resolve) => setImmediate(resolve))
  answer()
  expect(await Promise.all([first, second])).toEqual(['one two', 'one two'])
  await pool.stop()
})

/** For the manifest type, in which the servers are optional. */
function never(): never {
  throw new Error('a manifest without servers')
}

/** Upstream models, in the pool: scripted engines take the place of the requests to them. */
import { afterEach, expect, test } from 'bun:test'
import type { InstalledModel } from '../core/model.ts'
import { nothingConsumed } from '../core/usage.ts'
import { chatRequest } from '../testing/chat-request.ts'
import { testPool } from '../testing/engine-pool.ts'
import { testManifest } from '../testing/test-manifest.ts'
import type { EnginePool } from './pool.ts'
import type { EngineSetup } from './protocol/engine.ts'
import { unlimited } from './protocol/work-engines.ts'

const pools: EnginePool[] = []
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stop()))
})

const flavor = 'vllm'

function modelAt(...endpoints: string[]): InstalledModel {
  const upstream = { flavor, model: 'm', endpoints, maxConcurrent: 3 } as const
  return { manifest: testManifest({ id: 'org/remote', engine: 'upstream', upstream }), filePaths: {} }
}

/** A pool whose upstream requests stay open until `answer` is called with their endpoint. */
function startPool() {
  const open: { readonly endpoint: string | undefined; readonly end: () => void }[] = []
  const loaded: EngineSetup<never, never>[] = []
  const load = async (setup: EngineSetup<never, never>) => {
    loaded.push(setup)
    const { model, emit } = setup
    return {
      info: { device: 'upstream', description: '', contextTokens: 100, parallel: 3 },
      run: (id: number) => {
        emit([{ id, prepared: { least: nothingConsumed, most: nothingConsumed } }])
        emit([{ id, event: { type: 'start', promptTokens: 0, cachedTokens: 0 } }])
        const end = () => emit([{ id, event: { type: 'finish', usage: nothingConsumed } }])
        open.push({ endpoint: model.manifest.upstream?.endpoints[0], end })
      },
      grant: () => undefined,
      cancel: (id: number) => emit([{ id, cancelled: nothingConsumed }]),
      useThreads: () => undefined,
      stats: () => ({
        ...{ steps: 0, threads: 0, running: 0, waiting: 0 },
        ...{ decodedPromptTokens: 0, reusedPromptTokens: 0, generatedTokens: 0 },
      }),
    }
  }
  const none = () => {
    throw new Error('no process is needed')
  }
  const pool = testPool({ spawn: none, inServer: { upstream: load as never } })
  pools.push(pool)
  return { pool, open, loaded }
}

function run(pool: EnginePool, model: InstalledModel) {
  const { signal } = new AbortController()
  return pool.run(model, { kind: 'chat', request: chatRequest({}) }, { accountId: 'acc_1', signal, meter: unlimited })
}

async function restOf(events: AsyncIterable<{ readonly type: string }>): Promise<string[]> {
  const types: string[] = []
  for await (const { type } of events) types.push(type)
  return types
}

test('it is loaded without memory, process or cores, with as many places as its endpoints have', async () => {
  const { pool } = startPool()
  await pool.load(modelAt('http://a/v1', 'http://b/v1'))
  expect(pool.status()).toMatchObject([
    { state: 'ready', pid: undefined, placement: 'upstream', estimatedBytes: {}, reservedBytes: {}, loads: 1 },
  ])
  pool.keepAlive('org/remote', 0)
  expect(pool.status()[0]?.unloadsInMs).toBeUndefined()
})

test('when its servers change, new requests go to the new ones while old ones end on the old ones', async () => {
  const { pool, open, loaded } = startPool()
  const first = run(pool, modelAt('http://old/v1'))
  await first.next()
  const changed = modelAt('http://new/v1')
  const second = run(pool, changed)
  await second.next()
  expect(open.map(({ endpoint }) => endpoint)).toEqual(['http://old/v1', 'http://new/v1'])
  expect(loaded[0]?.signal?.aborted).toBe(false)
  const retired = new Promise((resolve) => loaded[0]?.signal?.addEventListener('abort', resolve))
  for (const { end } of open) end()
  expect(await restOf(first)).toEqual(['finish'])
  await retired
  expect(await restOf(second)).toEqual(['finish'])
  expect(pool.status()).toMatchObject([{ state: 'ready', lastExit: undefined, failedLoad: undefined }])
})

test('a request that is admitted in the moment of a change is served', async () => {
  const { pool, open } = startPool()
  await pool.load(modelAt('http://old/v1'))
  const [first, second] = [run(pool, modelAt('http://old/v1')), run(pool, modelAt('http://new/v1'))]
  const begun = [first.next(), second.next()]
  await Promise.all(begun)
  for (const { end } of open) end()
  expect(await Promise.all([restOf(first), restOf(second)])).toEqual([['finish'], ['finish']])
})

test('requests of a replaced engine end when the server stops', async () => {
  const { pool } = startPool()
  const first = run(pool, modelAt('http://old/v1'))
  await first.next()
  const second = run(pool, modelAt('http://new/v1'))
  await second.next()
  const ends = Promise.allSettled([restOf(first), restOf(second)])
  await pool.stop()
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

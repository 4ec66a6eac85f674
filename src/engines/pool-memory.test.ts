/** Models that do not fit in memory at the same time: real processes, with declared sizes in a declared memory. */
import { afterAll, afterEach, expect, test } from 'bun:test'
import { textContent } from '../core/content.ts'
import { ApiError } from '../core/errors.ts'
import type { Placement } from '../core/memory.ts'
import type { InstalledModel } from '../core/model.ts'
import { chatRequest } from '../testing/chat-request.ts'
import { testMemory, testPool } from '../testing/engine-pool.ts'
import { FakeModels } from '../testing/fake-models.ts'
import { impatientClock } from '../testing/impatient-clock.ts'
import type { EnginePool, EnginePoolOptions } from './pool.ts'
import { unlimited } from './protocol/work-engines.ts'

const GB = 1e9
const models = new FakeModels()
const pools: EnginePool[] = []
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stop()))
})
afterAll(() => models[Symbol.dispose]())

/** A pool with room for 10 GB of models. */
function startPool(options: Partial<EnginePoolOptions> = {}): EnginePool {
  const pool = testPool({ poolSettings: { limitBytes: 10 * GB }, ...options })
  pools.push(pool)
  return pool
}

interface Asking {
  readonly script?: readonly object[]
  readonly signal?: AbortSignal
  readonly waitLimitMs?: number
}

function ask(pool: EnginePool, model: InstalledModel, { script, signal, waitLimitMs }: Asking = {}) {
  const text = JSON.stringify({ script: script ?? [{ text: 'hello' }] })
  const request = chatRequest({ messages: [{ role: 'user', content: textContent(text) }] })
  const context = { accountId: 'acc_1', signal: signal ?? new AbortController().signal, meter: unlimited, waitLimitMs }
  return pool.run(model, { kind: 'chat', request }, context)
}

async function answer(pool: EnginePool, model: InstalledModel, asking?: Asking): Promise<string> {
  let text = ''
  for await (const event of ask(pool, model, asking)) if (event.type === 'text-delta') text += event.text
  return text
}

async function failure(answered: Promise<unknown>): Promise<ApiError> {
  const error = await answered.catch((thrown: unknown) => thrown)
  if (!(error instanceof ApiError)) throw new Error(`expected an ApiError, got ${String(error)}`)
  return error
}

function states(pool: EnginePool): Record<string, string> {
  return Object.fromEntries(pool.status().map(({ modelId, state }) => [modelId, state]))
}

/** Begins a chat that continues until `stop`. */
async function busy(pool: EnginePool, model: InstalledModel) {
  const abort = new AbortController()
  const events = ask(pool, model, { script: [{ text: 'a' }, { waitForCancel: true }], signal: abort.signal })
  await events.next()
  return {
    events,
    stop: async () => {
      abort.abort(new Error('client left'))
      await Array.fromAsync(events).catch(() => undefined)
    },
  }
}

test('models share the memory, and an idle one makes room for the next', async () => {
  const pool = startPool()
  const [a, b, c] = [models.make('room/a', 4 * GB), models.make('room/b', 5 * GB), models.make('room/c', 5 * GB)]
  for (const model of [a, b, a]) expect(await answer(pool, model)).toBe('hello')
  expect(states(pool)).toEqual({ 'room/a': 'ready', 'room/b': 'ready' })
  expect(await answer(pool, c)).toBe('hello')
  const status = pool.status()
  expect(status.reduce((sum, { reservedBytes }) => sum + (reservedBytes.host ?? 0), 0)).toBeLessThanOrEqual(10 * GB)
  expect(status.map(({ loads }) => loads)).toEqual([1, 1, 1])
  expect(status.map(({ stops }) => stops.evicted ?? 0).reduce((sum, count) => sum + count, 0)).toBe(1)
})

test('a model that an empty memory cannot hold is refused at once, with the numbers', async () => {
  // The memory that other programs use does not matter.
  const read = async () => ({ host: { totalBytes: 256 * GB, freeBytes: 200 * GB } })
  const pool = startPool({ memory: { ...testMemory, read } })
  const error = await failure(answer(pool, models.make('large/a', 12 * GB)))
  expect(error).toMatchObject({ kind: 'unavailable', code: 'insufficient_memory', retryAfterSeconds: 60 })
  expect(pool.status()).toMatchObject([{ state: 'stopped', estimatedBytes: { host: 12 * GB } }])
  expect(error.message).toBe(
    "Model 'large/a' needs 12 GB of the host's memory, where models may use 10 GB. Try again later, use a smaller model, or ask the operator for room.",
  )
})

test('what is pinned is not evicted, and the error says who holds the memory', async () => {
  const pool = startPool()
  const [pinned, other] = [models.make('pin/a', 6 * GB), models.make('pin/b', 6 * GB)]
  pool.pin(pinned)
  expect(await answer(pool, pinned)).toBe('hello')
  const error = await failure(answer(pool, other))
  expect(error.code).toBe('insufficient_memory')
  expect(error.message).toContain("'pin/a' holds 6 GB")
  pool.unpin('pin/a')
  expect(await answer(pool, other)).toBe('hello')
  expect(states(pool)).toEqual({ 'pin/a': 'stopped', 'pin/b': 'ready' })
})

test('a request that does not wait is refused while its model is loaded, the others are served', async () => {
  const pool = startPool()
  const { gate, open } = models.gate('no-wait')
  const model = models.make('wait/a', GB, { gate })
  const patient = answer(pool, model)
  const error = await failure(answer(pool, model, { waitLimitMs: 0 }))
  expect(error).toMatchObject({ kind: 'unavailable', code: 'model_loading' })
  expect(error.retryAfterSeconds).toBeWithin(1, 61)
  await open()
  expect(await patient).toBe('hello')
  expect(await answer(pool, model, { waitLimitMs: 0 })).toBe('hello')
})

test('how long a load takes is known from earlier runs of the server', async () => {
  const recall = (_: unknown, placements: readonly Placement[]) => ({ placements, loadMs: 60_000 })
  const pool = startPool({ memory: { ...testMemory, recall } })
  const model = models.make('slow/a', GB)
  await pool.load(model)
  await pool.unload('slow/a')
  // The mean of the known load times and the last one.
  const error = await failure(answer(pool, model, { waitLimitMs: 10_000 }))
  expect(error.code).toBe('model_loading')
  expect(error.message).toContain('takes about 30 s more')
})

test('a request waits for a busy model to make room no longer than it may', async () => {
  const pool = startPool({ queueWaitMs: 3_000 })
  const [one, other] = [models.make('busy/a', 6 * GB), models.make('busy/b', 6 * GB)]
  const running = await busy(pool, one)
  expect((await failure(answer(pool, other))).code).toBe('model_loading')
  await running.stop()
})

test('a client that leaves while it waits frees its place at once', async () => {
  const pool = startPool()
  const { gate, open } = models.gate('leaving')
  const model = models.make('leave/a', GB, { gate })
  const abort = new AbortController()
  const [leaving, staying] = [answer(pool, model, { signal: abort.signal }), answer(pool, model)]
  expect(pool.status()[0]).toMatchObject({ waiting: 2 })
  const left = leaving.catch(String)
  abort.abort(new Error('client left'))
  expect(await left).toBe('Error: client left')
  expect(pool.status()[0]).toMatchObject({ waiting: 1 })
  await open()
  expect(await staying).toBe('hello')
})

test('a load that runs out of memory is tried again, and then refused for a while', async () => {
  const pool = startPool({ clock: impatientClock() })
  const error = await failure(answer(pool, models.make('oom/a', GB, { failure: 'out-of-memory' })))
  expect(error.code).toBe('insufficient_memory')
  expect(pool.status()[0]).toMatchObject({ state: 'failed', restarts: 1, failedLoadCode: 'out-of-memory' })
})

test('files that are no model are refused until they change', async () => {
  const pool = startPool()
  const bad = models.make('bad/a', GB, { failure: 'bad-model' })
  expect((await failure(answer(pool, bad))).code).toBe('model_unavailable')
  expect((await failure(answer(pool, bad))).code).toBe('model_unavailable')
  expect(pool.status()[0]).toMatchObject({ state: 'failed', restarts: 0 })
  expect(await answer(pool, { ...models.make('bad/a', GB), filesVersion: 'mended' })).toBe('hello')
})

test('an unload waits for the requests of the model, or fails them', async () => {
  const pool = startPool()
  const model = models.make('unload/a', GB)
  const first = await busy(pool, model)
  const drained = pool.unload('unload/a', 'drain')
  expect(states(pool)).toEqual({ 'unload/a': 'draining' })
  await first.stop()
  await drained
  expect(states(pool)).toEqual({ 'unload/a': 'stopped' })
  const second = await busy(pool, model)
  const failed = failure(Array.fromAsync(second.events))
  await pool.unload('unload/a', 'now')
  expect((await failed).code).toBe('engine_failed')
})

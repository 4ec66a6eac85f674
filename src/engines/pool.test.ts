import { afterEach, expect, setSystemTime, test } from 'bun:test'
import type { ChatEvent, ChatRequest } from '../core/chat.ts'
import type { Clock } from '../core/clock.ts'
import { textContent } from '../core/content.ts'
import { ApiError } from '../core/errors.ts'
import type { EngineKind, InstalledModel } from '../core/model.ts'
import { nothingConsumed } from '../core/usage.ts'
import type { Work } from '../core/work.ts'
import { chatRequest } from '../testing/chat-request.ts'
import { testPool } from '../testing/engine-pool.ts'
import { testEngineSettings } from '../testing/engine-settings.ts'
import { impatientClock } from '../testing/impatient-clock.ts'
import { testManifest } from '../testing/test-manifest.ts'
import { until } from '../testing/until.ts'
import type { EngineSpawn } from './host/spawn-engine.ts'
import { checkEveryMs } from './host/watchdog.ts'
import type { EnginePool, EnginePoolOptions } from './pool.ts'
import type { FromEngine } from './protocol/messages.ts'
import { packWork } from './protocol/packed-request.ts'
import { unlimited } from './protocol/work-engines.ts'

const info = { device: 'cpu', description: '', contextTokens: 1, parallel: 1 } as const

const pools: EnginePool[] = []
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stop()))
})

function fakePool(setup: Partial<EnginePoolOptions> = {}) {
  const lines: string[] = []
  const pool = testPool({ log: (line) => lines.push(line.message), ...setup })
  pools.push(pool)
  return { pool, lines }
}

function model(id = 'test/fake', engine: EngineKind = 'fake'): InstalledModel {
  return {
    manifest: testManifest({ id, engine }),
    filePaths: {},
  }
}

function request(content: unknown): ChatRequest {
  const text = typeof content === 'string' ? content : JSON.stringify({ script: content })
  return chatRequest({ messages: [{ role: 'user', content: textContent(text) }] })
}

function run(
  pool: EnginePool,
  content: unknown,
  signal = new AbortController().signal,
  id?: string,
  accountId = 'acc_1',
) {
  return pool.run(model(id), { kind: 'chat', request: request(content) }, { accountId, signal, meter: unlimited })
}

async function collect(events: AsyncIterable<ChatEvent>): Promise<string> {
  let text = ''
  for await (const event of events) if (event.type === 'text-delta') text += event.text
  return text
}

async function failure(events: AsyncIterable<ChatEvent>): Promise<ApiError> {
  const error = await collect(events).catch((thrown: unknown) => thrown)
  if (!(error instanceof ApiError)) throw new Error(`expected an ApiError, got ${String(error)}`)
  return error
}

test('loads a model on its first request and streams its events in order', async () => {
  const { pool } = fakePool()
  const types: string[] = []
  for await (const event of run(pool, 'one two')) types.push(event.type)
  expect(types).toEqual(['start', 'text-delta', 'text-delta', 'choice-finish', 'finish'])
  expect(pool.status()).toMatchObject([{ modelId: 'test/fake', state: 'ready', restarts: 0, running: 0, waiting: 0 }])
})

test('serves two models in two processes', async () => {
  const { pool } = fakePool()
  await Promise.all([collect(run(pool, 'a', undefined, 'test/a')), collect(run(pool, 'b', undefined, 'test/b'))])
  const pids = pool.status().map((status) => status.pid)
  expect(new Set(pids).size).toBe(2)
})

test('a crash fails the requests that have given something, and the next request finds a new engine', async () => {
  const { pool } = fakePool()
  await collect(run(pool, 'warm'))
  const before = pool.status()[0]?.pid
  const running = run(pool, [{ text: 'a' }, { waitForCancel: true }])
  await running.next()
  await running.next()
  const waiting = failure(running)
  const crashing = failure(run(pool, [{ text: 'a' }, { crash: 'exit' }]))
  const errors = await Promise.all([waiting, crashing])
  expect(errors.map((error) => [error.kind, error.code])).toEqual([
    ['engine', 'engine_failed'],
    ['engine', 'engine_failed'],
  ])
  expect(await collect(run(pool, 'still here'))).toBe('still here')
  expect(pool.status()[0]).toMatchObject({ state: 'ready', restarts: 1, lastExit: 'exit code 7' })
  expect(pool.status()[0]?.pid).not.toBe(before)
})

test('three crashes in a minute, without an answer between, make it failed, with the exit code kept, until a minute has passed', async () => {
  let nowMs = 1_000_000
  const { pool } = fakePool({ clock: impatientClock(() => nowMs) })
  for (let crash = 0; crash < 3; crash++) await failure(run(pool, [{ text: 'a' }, { crash: 'exit' }]))
  const refused = await failure(run(pool, 'hello'))
  expect([refused.kind, refused.code, refused.retryAfterSeconds]).toEqual(['unavailable', 'model_unavailable', 60])
  expect(pool.status()[0]).toMatchObject({ state: 'failed', lastExit: 'exit code 7' })
  const waitedMs: number[] = []
  for (let answer = 'model_unavailable'; answer !== 'hello'; nowMs += 6_000) {
    answer = await collect(run(pool, 'hello')).catch((error: ApiError) => error.code)
    waitedMs.push(nowMs)
  }
  // The scheduler's clock counts less of a long time without events.
  expect(waitedMs.length).toBeWithin(10, 14)
})

test('a clock that is set back keeps no engine away for longer', async () => {
  const { pool } = fakePool({ clock: impatientClock() })
  for (let crash = 0; crash < 3; crash++) await failure(run(pool, [{ text: 'a' }, { crash: 'exit' }]))
  try {
    setSystemTime(new Date(Date.now() - 60 * 60_000))
    expect((await failure(run(pool, 'hello'))).retryAfterSeconds).toBeWithin(1, 61)
  } finally {
    setSystemTime()
  }
})

test('an abort signal throws at once and stops the engine work', async () => {
  const { pool } = fakePool()
  const abort = new AbortController()
  const events = run(pool, [{ text: 'a' }, { waitForCancel: true }], abort.signal)
  await events.next()
  expect((await pool.stats('test/fake'))?.running).toBe(1)
  abort.abort(new Error('client left'))
  expect(await collect(events).catch((error: Error) => error.message)).toBe('client left')
  expect((await pool.stats('test/fake'))?.running).toBe(0)
})

test('leaving the iteration early stops the engine work', async () => {
  const { pool } = fakePool()
  for await (const event of run(pool, [{ text: 'a' }, { waitForCancel: true }])) {
    if (event.type === 'text-delta') break
  }
  expect((await pool.stats('test/fake'))?.running).toBe(0)
})

test('a prompt that no context can hold is refused before its engine starts', async () => {
  // No vocabulary has a token of more than 256 bytes.
  const limitBytes = 4 * 256
  const { pool } = fakePool({ settings: { ...testEngineSettings, contextTokens: 4 } })
  const context = { accountId: 'acc_1', signal: new AbortController().signal, meter: unlimited }
  const frameBytes = packWork({ kind: 'chat', request: request('x'.repeat(300)) }).length - 300
  const work = (packedBytes: number): Work<'chat'> => {
    const whole = request('x'.repeat(packedBytes - frameBytes))
    return { kind: 'chat', request: { ...whole, packed: packWork({ kind: 'chat', request: whole }) } }
  }
  const tooLong = work(limitBytes + 1)
  expect(tooLong.request.packed).toHaveLength(limitBytes + 1)
  expect(() => pool.run(model(), tooLong, context)).toThrow(
    expect.objectContaining({ code: 'context_length_exceeded' }),
  )
  expect(pool.status()).toEqual([])
  expect(await collect(pool.run(model(), work(limitBytes), context))).toStartWith('x')
})

test('a request the engine refuses carries its error and leaves the engine alone', async () => {
  const { pool } = fakePool()
  const wire = { kind: 'invalid_request', code: 'context_length_exceeded', message: 'too long', param: 'messages' }
  const error = await failure(run(pool, [{ error: wire }]))
  expect([error.kind, error.code, error.message, error.param]).toEqual([
    'invalid_request',
    'context_length_exceeded',
    'too long',
    'messages',
  ])
  expect(pool.status()[0]?.state).toBe('ready')
})

test('a model whose engine cannot load answers with the reason', async () => {
  const { pool } = fakePool()
  const error = await failure(
    pool.run(
      model('test/none', 'llama'),
      { kind: 'chat', request: request('hi') },
      {
        accountId: 'acc_1',
        signal: new AbortController().signal,
        meter: unlimited,
      },
    ),
  )
  expect([error.kind, error.code]).toEqual(['unavailable', 'model_unavailable'])
  expect(error.message).toContain('could not be loaded')
})

test('a model that was put right in the catalog is loaded as it is now', async () => {
  const { pool } = fakePool({ clock: impatientClock() })
  const context = { accountId: 'acc_1', signal: new AbortController().signal, meter: unlimited }
  const work = { kind: 'chat', request: request('hi') } as const
  await failure(pool.run(model('test/mended', 'llama'), work, context))
  expect(await collect(pool.run(model('test/mended', 'fake'), work, context))).toBe('hi')
})

test('a model that changed is loaded again before the next request, and after the requests of a busy engine', async () => {
  const { pool } = fakePool()
  const abort = new AbortController()
  const changed = { ...model(), filesVersion: 'other' }
  const asked = (installed: InstalledModel, content: unknown, signal = new AbortController().signal) =>
    pool.run(installed, { kind: 'chat', request: request(content) }, { accountId: 'acc_1', signal, meter: unlimited })
  await collect(asked(model(), 'warm'))
  const first = pool.status()[0]?.pid
  const busy = asked(model(), [{ text: 'a' }, { waitForCancel: true }], abort.signal)
  await busy.next()
  expect(await collect(asked(changed, 'beside'))).toBe('beside')
  expect(pool.status()[0]?.pid).toBe(first)
  const ended = collect(busy).catch((error: Error) => error.message)
  abort.abort(new Error('client left'))
  expect(await ended).toBe('client left')
  expect(await collect(asked(changed, 'after'))).toBe('after')
  const second = pool.status()[0]
  expect(second).toMatchObject({ state: 'ready', restarts: 1, lastExit: undefined })
  expect(second?.pid).not.toBe(first)
  expect(await collect(asked(model(), 'as before'))).toBe('as before')
  expect(pool.status()[0]?.pid).not.toBe(second?.pid)
})

test('a model that is unloaded fails requests that have given something, and the next one loads it', async () => {
  const { pool } = fakePool()
  const events = run(pool, [{ text: 'a' }, { waitForCancel: true }])
  await events.next()
  await events.next()
  const [failed] = await Promise.all([failure(events), pool.unload('test/fake'), pool.unload('test/other')])
  expect(failed.code).toBe('engine_failed')
  expect(pool.status()).toMatchObject([{ state: 'stopped', pid: undefined, lastExit: undefined }])
  expect(await collect(run(pool, 'again'))).toBe('again')
})

test('an engine that crashes now and then goes on serving', async () => {
  const { pool } = fakePool({ clock: impatientClock() })
  for (let crash = 0; crash < 4; crash++) {
    await failure(run(pool, [{ text: 'a' }, { crash: 'exit' }]))
    expect(await collect(run(pool, 'hello'))).toBe('hello')
  }
})

test('every request ends while the model changes, is unloaded and crashes', async () => {
  const clock = impatientClock()
  // A request that may have ended its engine runs alone for ten seconds: this clock skips that time, since such
  // requests never end here.
  const after: Clock['after'] = (ms, callback) => clock.after(ms > checkEveryMs && ms <= 10_000 ? 0 : ms, callback)
  const { pool } = fakePool({ clock: { ...clock, after } })
  const [first, second] = [model(), { ...model(), filesVersion: 'b' }]
  const leaving = new AbortController()
  const ask = async (index: number) => {
    for (let turn = 0; turn < index; turn++) await new Promise(setImmediate)
    if (index % 10 === 9) await pool.unload('test/fake')
    const script = [[{ text: 'hello' }], [{ text: 'a' }, { crash: 'exit' }]][index % 2]
    const content = index % 4 === 3 ? [{ waitForCancel: true }] : script
    const context = { accountId: `acc_${index}`, signal: leaving.signal, meter: unlimited }
    const work = { kind: 'chat', request: request(content) } as const
    return collect(pool.run(index % 3 === 0 ? second : first, work, context)).catch((error: unknown) =>
      error instanceof ApiError ? error.code : String(error),
    )
  }
  const requests = Array.from({ length: 40 }, (_, index) => ask(index))
  await Promise.all(requests.filter((_, index) => index % 4 !== 3))
  leaving.abort('client left')
  const known = ['hello', 'engine_failed', 'model_unavailable', 'client left']
  for (const end of await Promise.all(requests)) expect(known).toContain(end)
  await pool.unload('test/fake')
  expect(pool.status()).toMatchObject([{ pid: undefined, running: 0, waiting: 0 }])
})

test('the engine environment holds nothing but what was passed and four switches', async () => {
  process.env.INFERD_TEST_SECRET = 'secret'
  const { pool } = fakePool()
  await collect(run(pool, 'warm'))
  const environment = await Bun.file(`/proc/${pool.status()[0]?.pid}/environ`).text()
  delete process.env.INFERD_TEST_SECRET
  const names = environment.split('\0').map((line) => line.split('=')[0])
  expect(environment).not.toContain('secret')
  expect(names.filter((name) => name !== '' && !name?.startsWith('NODE_CHANNEL')).toSorted()).toEqual([
    'CUDA_DEVICE_ORDER',
    'DO_NOT_TRACK',
    'GGML_NO_BACKTRACE',
    'ORT_DISABLE_TELEMETRY',
  ])
})

test('beyond the queue requests are refused at once, also while the model is loaded', async () => {
  const { pool } = fakePool({ settings: { ...testEngineSettings, maxWaiting: 2 } })
  const waiting = [run(pool, 'one'), run(pool, 'two')].map((events) => collect(events))
  const refused = await failure(run(pool, 'three'))
  expect([refused.kind, refused.code, refused.retryAfterSeconds]).toEqual(['unavailable', 'overloaded', 5])
  const other = run(pool, 'four', undefined, undefined, 'acc_2')
  expect(await Promise.all([...waiting, collect(other)])).toEqual(['one', 'two', 'four'])
})

test('counts that wait, which are free, keep no chat away', async () => {
  const { pool } = fakePool({ settings: { ...testEngineSettings, maxWaiting: 16 } })
  const signal = new AbortController().signal
  const work = { kind: 'count', request: request('one two') } as const
  const count = (accountId: string) => Array.fromAsync(pool.run(model(), work, { accountId, signal, meter: unlimited }))
  const counts = await Promise.allSettled([
    ...Array.from({ length: 50 }, () => count('acc_1')),
    ...Array.from({ length: 50 }, (_, index) => count(`acc_${index}`)),
    ...Array.from({ length: 4 }, (_, index) => collect(run(pool, 'chat', undefined, undefined, `acc_${index}`))),
  ])
  expect(counts.slice(0, 50).filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect(counts.slice(100)).toEqual(Array(4).fill({ status: 'fulfilled', value: 'chat' }))
})

test('a request whose engine ends before it was given finds its place again, however many have come since', async () => {
  const loaded = Promise.withResolvers<void>()
  let onPacked = () => undefined
  let children = 0
  const spawn: EngineSpawn = (_, handlers) => {
    const isFirst = children++ === 0
    const answer = (message: FromEngine) => queueMicrotask(() => handlers.onMessage(message))
    return {
      pid: 1,
      kill: () => handlers.onExit('signal SIGKILL'),
      send: (message) => {
        if (message.type === 'load')
          void (isFirst ? Promise.resolve() : loaded.promise).then(() => answer({ type: 'ready', info }))
        if (message.type === 'stop') handlers.onExit('exit code 0')
        if (message.type === 'packed' && isFirst) {
          onPacked()
          handlers.onExit('signal SIGKILL')
        }
        if (message.type === 'run' && !isFirst)
          answer({ type: 'events', events: [{ id: message.id, cancelled: nothingConsumed }] })
      },
    }
  }
  const { pool } = fakePool({ spawn, settings: { ...testEngineSettings, maxWaiting: 3 } })
  await pool.load(model())
  const ask = (accountId: string) => collect(run(pool, 'small', undefined, undefined, accountId))
  const others = [ask('acc_1'), ask('acc_2')]
  onPacked = () => void others.push(ask('acc_3'))
  const whole = request('large')
  const work = { kind: 'chat', request: { ...whole, packed: packWork({ kind: 'chat', request: whole }) } } as const
  const context = { accountId: 'acc_1', signal: new AbortController().signal, meter: unlimited }
  const large = collect(pool.run(model(), work, context))
  await until(
    'all wait for the next engine',
    () => pool.status()[0],
    (state) => state?.state === 'starting' && state.waiting === 4,
  )
  loaded.resolve()
  expect(await Promise.all([large, ...others])).toEqual(['', '', '', ''])
})

test('what an engine wrote is for the operator, not for callers', async () => {
  const { pool } = fakePool()
  await collect(run(pool, 'warm'))
  const error = await failure(run(pool, [{ log: '/secret/path: assertion failed' }, { crash: 'exit' }]))
  expect(error.message).not.toContain('secret')
  expect(String(error.cause)).toContain('exit code 7: /secret/path: assertion failed')
  expect(pool.status()[0]?.lastExit).toBe('exit code 7: /secret/path: assertion failed')
})

test('stop does not wait for a load in flight', async () => {
  const { pool } = fakePool()
  const request = failure(run(pool, 'hello'))
  await pool.stop()
  expect(pool.status()[0]?.pid).toBeUndefined()
  expect((await request).code).toBe('model_unavailable')
})

test('stop ends the children', async () => {
  const { pool } = fakePool()
  await collect(run(pool, 'warm'))
  const pid = pool.status()[0]?.pid ?? 0
  await pool.stop()
  expect(pool.status()[0]?.state).toBe('stopped')
  expect(() => process.kill(pid, 0)).toThrow()
})

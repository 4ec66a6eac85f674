import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { textContent } from '../../core/content.ts'
import { ApiError } from '../../core/errors.ts'
import type { MemoryBytes } from '../../core/memory.ts'
import type { InstalledModel } from '../../core/model.ts'
import { chatRequest } from '../../testing/chat-request.ts'
import { plentyOfMemory, testMemory, testPool } from '../../testing/engine-pool.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import type { KnownMemory } from '../known-memory.ts'
import type { EnginePool, EnginePoolOptions } from '../pool.ts'
import type { EngineStats } from '../protocol/engine.ts'
import type { FromEngine } from '../protocol/messages.ts'
import { unlimited } from '../protocol/work-engines.ts'
import { engineSpawn } from './spawn-engine.ts'
import { afterCheck, afterMessage, fatalProblem, firstPulse, type Pulse } from './watchdog.ts'

const model: InstalledModel = {
  manifest: testManifest(),
  filePaths: {},
}

const pools: EnginePool[] = []
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stop()))
})

/** A pool of real children whose timers fire when `check` is called. */
function startPool({
  stopsFirstChild = false,
  ...options
}: Partial<EnginePoolOptions> & { stopsFirstChild?: boolean } = {}) {
  const checks = new Set<() => void>()
  const start = engineSpawn({ command: [process.execPath, `${import.meta.dir}/../../main.ts`], environment: {} })
  let children = 0
  const pool = testPool({
    ...options,
    spawn: (kind, handlers) => {
      const child = start(kind, handlers)
      if (children++ === 0 && stopsFirstChild) process.kill(child.pid, 'SIGSTOP')
      return child
    },
    clock: {
      nowMs: () => performance.now(),
      after: (_, callback) => {
        checks.add(callback)
        return () => checks.delete(callback)
      },
    },
  })
  pools.push(pool)
  const check = (times: number) => {
    for (let time = 0; time < times; time++) {
      for (const ring of [...checks]) {
        checks.delete(ring)
        ring()
      }
    }
  }
  return { pool, check, checks }
}

function chat(pool: EnginePool, script: unknown, signal = new AbortController().signal) {
  const messages = [{ role: 'user', content: textContent(JSON.stringify({ script })) }] as const
  return pool.run(
    model,
    { kind: 'chat', request: chatRequest({ messages }) },
    { accountId: 'acc_1', signal, meter: unlimited },
  )
}

const endless = [{ text: 'a' }, { waitForCancel: true }]

function reason(ended: Promise<unknown>): Promise<unknown> {
  return ended.then(
    () => 'nothing thrown',
    (error: unknown) => (error instanceof ApiError ? [error.kind, error.code] : String(error)),
  )
}

test('a stopped child is killed after 20 s, its request fails as an engine fault, and the next one is served', async () => {
  const { pool, check, checks } = startPool()
  const events = chat(pool, endless)
  await events.next()
  await events.next()
  const pid = pool.status()[0]?.pid ?? 0
  const ended = reason(Array.fromAsync(events))
  process.kill(pid, 'SIGSTOP')
  check(5)
  expect(await ended).toEqual(['engine', 'engine_failed'])
  expect(pool.status()[0]?.lastExit).toBe('killed: it did not answer for 20 s')
  expect((await Array.fromAsync(chat(pool, [{ text: 'b' }]))).at(-1)?.type).toBe('finish')
  expect(pool.status()[0]).toMatchObject({ state: 'ready', restarts: 1 })
  expect(pool.status()[0]?.pid).not.toBe(pid)
  // The checks of this child and of the scheduler.
  expect(checks.size).toBe(2)
})

test('a request whose client left a stopped child ends with it, and is not charged', async () => {
  const { pool, check } = startPool()
  const abort = new AbortController()
  const charged: unknown[] = []
  const meter = { ...unlimited, cancelled: (usage: unknown) => charged.push(usage) }
  const messages = [{ role: 'user', content: textContent(JSON.stringify({ script: endless })) }] as const
  const events = pool.run(
    model,
    { kind: 'chat', request: chatRequest({ messages }) },
    { accountId: 'acc_1', signal: abort.signal, meter },
  )
  await events.next()
  process.kill(pool.status()[0]?.pid ?? 0, 'SIGSTOP')
  const ended = reason(Array.fromAsync(events))
  abort.abort(new Error('client left'))
  check(5)
  expect(await ended).toBe('Error: client left')
  expect(charged).toEqual([])
})

test('a stopped child that cannot hear that its model is unloaded is killed', async () => {
  const { pool, check, checks } = startPool()
  await pool.load(model)
  process.kill(pool.status()[0]?.pid ?? 0, 'SIGSTOP')
  const unloaded = pool.unload('test/fake')
  check(1)
  await unloaded
  expect(pool.status()[0]).toMatchObject({ state: 'stopped', pid: undefined, lastExit: undefined })
  expect(checks.size).toBe(1)
})

test('a child that is stopped while it loads is killed after two minutes, and another one is started', async () => {
  const { pool, check } = startPool({ stopsFirstChild: true })
  const loaded = pool.load(model)
  while (pool.status()[0]?.pid === undefined) await new Promise(setImmediate)
  check(24)
  expect(pool.status()[0]?.lastExit).toBeUndefined()
  check(1)
  await loaded
  expect(pool.status()[0]).toMatchObject({ lastExit: 'killed: it did not answer for 120 s', restarts: 1 })
})

describe('a load on a card for which the driver compiles', () => {
  const memory = (loaded: readonly string[] = []): KnownMemory => ({
    ...testMemory,
    readings: machine,
    read: async () => machine,
    recall: (_, placements) => ({ placements, loaded: new Set(loaded) }),
  })
  const machine = { ...plentyOfMemory, gpu0: { totalBytes: 80e9, freeBytes: 80e9 } }
  const folder = mkdtempSync(join(tmpdir(), 'inferd-compiling-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const onGpu = (name: string, needBytes: MemoryBytes): InstalledModel => {
    const path = join(folder, `${name}.fake.json`)
    writeFileSync(path, JSON.stringify({ needBytes }))
    return { ...model, filePaths: { model: path } }
  }
  const compiling = { chosen: () => undefined, compiles: () => true, noteEnd: () => undefined }

  async function begin(loadedModel: InstalledModel, loaded: readonly string[] = []) {
    const lines: string[] = []
    const options = {
      backends: compiling,
      memory: memory(loaded),
      log: ({ message }: { message: string }) => void lines.push(message),
    }
    const { pool, check } = startPool({ ...options, stopsFirstChild: true })
    const load = pool.load(loadedModel)
    while (pool.status()[0]?.pid === undefined) await new Promise(setImmediate)
    return { pool, check, load, lines }
  }

  test('says so, once, and is given ten minutes', async () => {
    const { pool, check, load, lines } = await begin(onGpu('first', { gpu0: 1e9, host: 1e8 }))
    expect(pool.status()[0]).toMatchObject({ state: 'starting', isCompiling: true })
    expect(lines).toContain('compiling for this card, once')
    check(120)
    expect(pool.status()[0]?.lastExit).toBeUndefined()
    check(1)
    await load
    expect(pool.status()[0]).toMatchObject({ lastExit: 'killed: it did not answer for 600 s', isCompiling: false })
  })

  test.each([
    ['that was loaded there before', { gpu0: 1e9 }, ['fake'], 120],
    ['on the CPU', { host: 1e9 }, [], 24],
  ] as const)('does not say so for a model %s', async (_, needBytes, loaded, checks) => {
    const { pool, check, load, lines } = await begin(onGpu('other', needBytes), loaded)
    expect(pool.status()[0]).toMatchObject({ state: 'starting', isCompiling: false })
    expect(lines).not.toContain('compiling for this card, once')
    check(checks)
    expect(pool.status()[0]?.lastExit).toBeUndefined()
    check(1)
    await load
    expect(pool.status()[0]?.lastExit).toBe(`killed: it did not answer for ${checks * 5} s`)
  })
})

test('a child that answers is left alone, and killed once its requests have made no step for ten minutes', async () => {
  const { pool, check } = startPool()
  const events = chat(pool, endless)
  await events.next()
  const pid = pool.status()[0]?.pid
  const ended = reason(Array.fromAsync(events))
  // The first check still reports the steps made before it.
  for (let times = 0; times < 121; times++) {
    check(1)
    await pool.stats('test/fake') // comes after the answer to the check
  }
  expect(pool.status()[0]).toMatchObject({ pid, running: 1 })
  check(1)
  expect(await ended).toEqual(['engine', 'engine_failed'])
  expect(pool.status()[0]?.lastExit).toBe('killed: it had requests and made no step for 600 s')
})

test('a child without requests is never killed', async () => {
  const { pool, check } = startPool()
  await pool.load(model)
  const pid = pool.status()[0]?.pid
  for (let times = 0; times < 200; times++) {
    check(1)
    await pool.stats('test/fake')
  }
  expect(pool.status()[0]).toMatchObject({ pid, state: 'ready' })
})

describe('a pulse', () => {
  const statsOf = (stats: Partial<EngineStats> | undefined): FromEngine => {
    const rest = {
      steps: 0,
      threads: 1,
      running: 0,
      waiting: 0,
      decodedPromptTokens: 0,
      reusedPromptTokens: 0,
      generatedTokens: 0,
    }
    return { type: 'stats', id: 0, stats: stats && { ...rest, ...stats } }
  }
  const checked = (pulse: Pulse, times: number): Pulse => (times === 0 ? pulse : checked(afterCheck(pulse), times - 1))

  test('any message is a sign of life', () => {
    const silent = checked(firstPulse, 4)
    expect(fatalProblem(afterCheck(silent), true)).toContain('did not answer')
    expect(fatalProblem(afterCheck(afterMessage(silent, { type: 'events', events: [] })), true)).toBeUndefined()
  })

  test.each([
    ['a step', { steps: 1, running: 1 }, 0],
    ['nothing to do', { running: 0 }, 0],
    ['no model yet', undefined, 0],
    ['the same step with a running request', { running: 1 }, 50],
    ['the same step with a waiting one', { waiting: 1 }, 50],
  ])('of %s', (_, stats, checksWithoutStep) => {
    expect(afterMessage(checked(firstPulse, 50), statsOf(stats))).toMatchObject({ silentChecks: 0, checksWithoutStep })
  })
})

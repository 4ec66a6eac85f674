/** Children that answer a dry run and then load the model. */

import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Clock } from '../../core/clock.ts'
import type { Placement } from '../../core/memory.ts'
import type { InstalledModel } from '../../core/model.ts'
import { plentyOfMemory, testMemory, testPool } from '../../testing/engine-pool.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import { testedProgram } from '../../testing/tested-program.ts'
import type { KnownMemory } from '../known-memory.ts'
import type { EnginePool } from '../pool.ts'
import { runtimePaths } from '../runtime/runtime-paths.ts'
import { SpareChild } from './spare-child.ts'
import { type EngineSpawn, engineSpawn } from './spawn-engine.ts'

const root = join(import.meta.dir, '../../..')
const starter = join(root, 'models/starter/starter-chat-q8_0.gguf')
const runtime = await runtimePaths('')
const model: InstalledModel = { manifest: testManifest({ id: 'a/b', engine: 'llama' }), filePaths: { model: starter } }

const pools: EnginePool[] = []
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.stop()
})

/** A pool of real children that counts their starts and ends. */
function startPool(options: Parameters<typeof testPool>[0] = {}) {
  const counts = { started: 0, ended: 0 }
  const real = engineSpawn({ command: testedProgram, environment: {} })
  const spawn: EngineSpawn = (kind, handlers, file) => {
    counts.started++
    const onExit = (reason: string) => {
      counts.ended++
      handlers.onExit(reason)
    }
    return real(kind, { ...handlers, onExit }, file)
  }
  const pool = testPool({ spawn, runtime: async () => runtime, ...options })
  pools.push(pool)
  return { pool, counts }
}

test('one process tells what a model needs and loads it, and later loads start one each', async () => {
  const { pool, counts } = startPool({ promptHandoverMs: 60_000 })
  await pool.load(model)
  expect(counts).toEqual({ started: 1, ended: 0 })
  const [status] = pool.status()
  expect(Object.keys(status?.loadTimes ?? {})).toEqual([
    ...['dryRun', 'files', 'process', 'libraries', 'weights', 'context', 'template'],
  ])
  await pool.unload('a/b')
  await pool.load(model)
  expect(counts).toEqual({ started: 2, ended: 1 })
  expect(Object.keys(pool.status()[0]?.loadTimes ?? {})).not.toContain('dryRun')
})

test('a dry run is not made again by the next server while the files are the same', async () => {
  const known = new Map<string, readonly Placement[]>()
  const memory: KnownMemory = {
    ...testMemory,
    recallDryRun: (question) => known.get(JSON.stringify(question)),
    recordDryRun: (question, placements) => void known.set(JSON.stringify(question), placements),
  }
  const versions = ['1', '1', '2', undefined, undefined]
  const dryRuns: boolean[] = []
  for (const filesVersion of versions) {
    const { pool, counts } = startPool({ memory })
    await pool.load({ ...model, ...(filesVersion !== undefined && { filesVersion }) })
    expect(counts.started).toBe(1)
    dryRuns.push(pool.status()[0]?.loadTimes?.dryRun !== undefined)
    await pool.stop()
  }
  expect(dryRuns).toEqual([true, false, true, true, true])
}, 60_000)

test('a model that takes memory of a device is loaded by a process that starts when the other is gone', async () => {
  const order: string[] = []
  const real = engineSpawn({ command: testedProgram, environment: {} })
  const spawn: EngineSpawn = (kind, handlers, file) => {
    order.push('started')
    return real(
      kind,
      {
        ...handlers,
        onMessage: (message) => {
          if (message.type !== 'placements') return handlers.onMessage(message)
          const needBytes = { gpu0: 1e9, host: 1e9 }
          handlers.onMessage({ ...message, placements: message.placements.map((each) => ({ ...each, needBytes })) })
        },
        onExit: (reason) => {
          order.push('ended')
          handlers.onExit(reason)
        },
      },
      file,
    )
  }
  const memory = { ...testMemory, read: async () => ({ ...plentyOfMemory, gpu0: plentyOfMemory.host ?? 'unknown' }) }
  const { pool } = startPool({ spawn, memory })
  await pool.load(model)
  expect(order).toEqual(['started', 'ended', 'started'])
})

test('a server that stops leaves no child that waits', async () => {
  const { pool, counts } = startPool({
    // Less memory than the model needs.
    poolSettings: { limitBytes: 1e6 },
  })
  await expect(pool.load(model)).rejects.toMatchObject({ code: 'insufficient_memory' })
  expect(counts).toEqual({ started: 1, ended: 0 })
  await pool.stop()
  expect(counts).toEqual({ started: 1, ended: 1 })
})

test('a model that has changed is not loaded by the child that was asked about it before', async () => {
  const { pool, counts } = startPool({ poolSettings: { limitBytes: 1e6 } })
  await expect(pool.load(model)).rejects.toMatchObject({ code: 'insufficient_memory' })
  const changed = { ...model, manifest: { ...model.manifest, settings: { contextTokens: 512 } } }
  await expect(pool.load(changed)).rejects.toMatchObject({ code: 'insufficient_memory' })
  expect(counts).toEqual({ started: 2, ended: 1 })
})

/** A child in this process that answers nothing, and a clock that the test moves. */
function scripted() {
  const told: string[] = []
  let exit: (reason: string) => void = () => undefined
  let onLimit: (() => void) | undefined
  const spawn: EngineSpawn = (_, { onExit }) => {
    exit = onExit
    return {
      pid: 1,
      send: ({ type }) => void told.push(type),
      kill: (signal) => {
        told.push(signal)
        onExit(signal)
      },
    }
  }
  const clock: Clock = {
    nowMs: () => 0,
    after: (_, callback) => {
      onLimit = callback
      return () => {
        onLimit = undefined
      }
    },
  }
  const spare = new SpareChild({
    ...{ spawn, revision: 'r', note: undefined, clock },
    onUnused: () => told.push('unused'),
  })
  const handlers = { onMessage: () => undefined, onLogLine: () => undefined }
  const asked = spare.ask('llama', { ...handlers, onExit: (reason) => told.push(`asked: ${reason}`) })
  const take = () => spare.take({ ...handlers, onExit: (reason) => told.push(`loading: ${reason}`) })
  return { spare, asked, told, take, exit: (reason: string) => exit(reason), limit: () => onLimit?.() }
}

test('a child that nobody claims in time is ended', async () => {
  const { spare, asked, told, limit } = scripted()
  asked.send({ type: 'stop' })
  limit()
  expect(told).toEqual(['asked: it waits', 'SIGKILL', 'unused'])
  expect(spare.claim()).toBe(false)
})

test('a claimed child waits for its load without limit, which hears of its end', () => {
  const { spare, asked, told, take, exit, limit } = scripted()
  asked.send({ type: 'stop' })
  expect(spare.claim()).toBe(true)
  limit()
  take()?.send({ type: 'stats', id: 1 })
  expect(take()).toBeUndefined()
  exit('signal SIGSEGV')
  expect(told).toEqual(['asked: it waits', 'stats', 'loading: signal SIGSEGV'])
})

test('a child that ends while it waits is not given to a load', async () => {
  const { spare, asked, told, exit, take } = scripted()
  asked.send({ type: 'stop' })
  exit('signal SIGKILL')
  expect(spare.claim()).toBe(false)
  expect(take()).toBeUndefined()
  await spare.end()
  expect(told).toEqual(['asked: it waits', 'unused'])
})

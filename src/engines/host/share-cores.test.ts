import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { textContent } from '../../core/content.ts'
import type { EngineKind, InstalledModel } from '../../core/model.ts'
import { chatRequest } from '../../testing/chat-request.ts'
import { testPool } from '../../testing/engine-pool.ts'
import { testEngineSettings } from '../../testing/engine-settings.ts'
import { endBias } from '../../testing/starter-engine.ts'
import { starterTextModel } from '../../testing/starter-text-models.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import { testedProgram } from '../../testing/tested-program.ts'
import type { EngineSettings } from '../engine-table.ts'
import type { EnginePool } from '../pool.ts'
import type { ToEngine } from '../protocol/messages.ts'
import { type EngineMeter, unlimited } from '../protocol/work-engines.ts'
import { runtimePaths } from '../runtime/runtime-paths.ts'
import { sharingCores } from './share-cores.ts'
import { type EngineChildHandlers, engineSpawn } from './spawn-engine.ts'

const root = join(import.meta.dir, '..', '..', '..')
const pools: EnginePool[] = []
afterAll(() => Promise.all(pools.map((pool) => pool.stop())))

/** A pool on a machine with `cores` cores. */
function startPool(cores: number, settings: Partial<EngineSettings> = {}): EnginePool {
  const spawn = engineSpawn({ command: testedProgram, environment: {} })
  const pool = testPool({
    spawn: sharingCores(spawn, { physicalCores: cores, allowedProcessors: cores, quotaCores: undefined }),
    settings: { ...testEngineSettings, ...settings },
    runtime: () => runtimePaths(''),
  })
  pools.push(pool)
  return pool
}

function model(id: string, engine: EngineKind): InstalledModel {
  const path = join(root, 'models/starter/starter-chat-q8_0.gguf')
  return { manifest: testManifest({ id, engine }), filePaths: { model: path } }
}

/** Begins a chat that continues until it is stopped; resolves after its first event. */
async function beginChat(pool: EnginePool, of: InstalledModel) {
  const script = JSON.stringify({ script: [{ text: 'a' }, { waitForCancel: true }] })
  const text = of.manifest.engine === 'fake' ? script : 'Tell me a very long story.'
  const messages = [{ role: 'user' as const, content: textContent(text) }]
  const request = chatRequest({ messages, maxTokens: 900, sampling: { logitBias: endBias }, repetitionLimit: 'none' })
  const abort = new AbortController()
  const context = { accountId: 'acc_1', signal: abort.signal, meter: unlimited }
  const events = pool.run(of, { kind: 'chat', request }, context)
  await events.next()
  return {
    /** Resolves when the engine has stopped the chat. */
    stop: async () => {
      abort.abort(new Error('client left'))
      await Array.fromAsync(events).catch(() => undefined)
    },
  }
}

async function threadsOf(pool: EnginePool, ...models: readonly InstalledModel[]): Promise<(number | undefined)[]> {
  return Promise.all(models.map(async ({ manifest }) => (await pool.stats(manifest.id))?.threads))
}

test('engines share the cores while they are busy, and have them all when they are busy alone', async () => {
  const pool = startPool(4)
  const [first, second] = [model('test/first', 'fake'), model('test/second', 'fake')]
  const one = await beginChat(pool, first)
  expect(await threadsOf(pool, first)).toEqual([4])
  const two = await beginChat(pool, second)
  expect(await threadsOf(pool, first, second)).toEqual([2, 2])
  // A second request to the same engine changes nothing.
  const three = await beginChat(pool, second)
  await two.stop()
  expect(await threadsOf(pool, first, second)).toEqual([2, 2])
  await three.stop()
  expect(await threadsOf(pool, first)).toEqual([4])
  const four = await beginChat(pool, second)
  expect(await threadsOf(pool, first, second)).toEqual([2, 2])
  await one.stop()
  expect(await threadsOf(pool, second)).toEqual([4])
  await four.stop()
})

test('an engine that dies leaves its cores to the others', async () => {
  const pool = startPool(4)
  const [first, second] = [model('test/first', 'fake'), model('test/second', 'fake')]
  const one = await beginChat(pool, first)
  const two = await beginChat(pool, second)
  await pool.unload(second.manifest.id)
  expect(await threadsOf(pool, first)).toEqual([4])
  await Promise.all([one.stop(), two.stop()])
})

test('a request that fails is over, and nobody is told a number that it has', () => {
  const told: string[] = []
  const children: EngineChildHandlers[] = []
  const spawn = sharingCores(
    (_, handlers) => {
      const name = `engine ${children.push(handlers)}`
      const send = (message: ToEngine) => {
        if (message.type === 'threads') told.push(`${name}: ${message.count}`)
      }
      return { pid: 1, kill: () => undefined, send }
    },
    { physicalCores: 4, allowedProcessors: 4, quotaCores: undefined },
  )
  const handlers = { onMessage: () => undefined, onExit: () => undefined, onLogLine: () => undefined }
  const engines = [spawn('fake', handlers), spawn('fake', handlers)]
  const info = { device: 'cpu', description: '', contextTokens: 1, parallel: 1, threads: 3 }
  for (const child of children) child.onMessage({ type: 'ready', info })
  const work = { kind: 'chat', request: chatRequest() } as const
  for (const engine of engines) engine.send({ type: 'run', id: 1, accountId: 'acc_1', work })
  expect(told.splice(0)).toEqual(['engine 1: 2', 'engine 2: 1'])
  const error = { kind: 'engine', code: 'engine_failed', message: 'no' } as const
  children[1]?.onMessage({ type: 'events', events: [{ id: 1, error }] })
  expect(told).toEqual(['engine 1: 3'])
})

test('real engines compute with their shares', async () => {
  const pool = startPool(2, { threads: 2, contextTokens: 2048, parallel: 2 })
  const [chat, texts] = [model('test/chat', 'llama'), starterTextModel('embedding')]
  const one = await beginChat(pool, chat)
  expect(await threadsOf(pool, chat)).toEqual([2])
  const [prepared, granted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const meter: EngineMeter = {
    ...unlimited,
    begin: async (estimate) => {
      prepared.resolve()
      await granted.promise
      return unlimited.begin(estimate)
    },
  }
  const context = { accountId: 'acc_1', signal: new AbortController().signal, meter }
  const vectors = pool.run(texts, { kind: 'embed', request: { inputs: ['moon'] } }, context)
  const first = vectors.next()
  await prepared.promise
  expect(await threadsOf(pool, chat)).toEqual([1])
  granted.resolve()
  await first
  for await (const _ of vectors);
  expect(await threadsOf(pool, chat)).toEqual([2])
  await one.stop()
})

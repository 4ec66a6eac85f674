/**
 * Prompts that outlive their model's process: the starter model in real processes, beside one that needs its memory.
 */
import { afterAll, afterEach, expect, test } from 'bun:test'
import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { ChatEvent } from '../core/chat.ts'
import { systemClock } from '../core/clock.ts'
import { textContent } from '../core/content.ts'
import { hourMs } from '../core/durations.ts'
import type { InstalledModel } from '../core/model.ts'
import { chatRequest } from '../testing/chat-request.ts'
import { testMemory, testPool } from '../testing/engine-pool.ts'
import { testEngineSettings } from '../testing/engine-settings.ts'
import { FakeModels } from '../testing/fake-models.ts'
import { until } from '../testing/until.ts'
import type { EnginePool, EnginePoolOptions } from './pool.ts'
import type { EngineLogLine } from './protocol/engine.ts'
import { unlimited } from './protocol/work-engines.ts'
import { runtimePaths } from './runtime/runtime-paths.ts'

const GB = 1e9
const others = new FakeModels()
const pools: EnginePool[] = []
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stop()))
  await noMemoryFiles()
})
afterAll(() => others[Symbol.dispose]())

const manifest = { type: 'chat', engine: 'llama', aliases: [], files: [], capabilities: {}, defaults: {} } as const
const file = join(import.meta.dir, '../../models/starter/starter-chat-q8_0.gguf')
const starter: InstalledModel = { manifest: { ...manifest, id: 'test/chat' }, filePaths: { model: file } }
/** About 670 tokens. */
const longText = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ')

/** A pool with room for 10 GB of models. */
function startPool(options: Partial<EnginePoolOptions> = {}) {
  const lines: EngineLogLine[] = []
  let passedMs = 0
  const pool = testPool({
    settings: { ...testEngineSettings, contextTokens: 4096 },
    runtime: () => runtimePaths(''),
    poolSettings: { limitBytes: 10 * GB },
    promptHandoverMs: hourMs,
    log: (line) => lines.push(line),
    clock: { ...systemClock, nowMs: () => performance.now() + passedMs },
    ...options,
  })
  pools.push(pool)
  return {
    pool,
    lines,
    pass: (ms: number) => {
      passedMs += ms
    },
  }
}

async function ask(pool: EnginePool, { text = longText, accountId = 'acc_a', model = starter, maxTokens = 8 } = {}) {
  const script = JSON.stringify({ script: [{ text: 'hello' }] })
  const content = textContent(model.manifest.engine === 'fake' ? script : text)
  const messages = [{ role: 'user' as const, content }]
  const request = chatRequest({ messages, sampling: { temperature: 0 }, reasoning: { mode: 'off' }, maxTokens })
  const context = { accountId, signal: new AbortController().signal, meter: unlimited }
  let answer = ''
  let cachedTokens = 0
  let promptTokens = 0
  for await (const event of pool.run(model, { kind: 'chat', request }, context) as AsyncIterable<ChatEvent>) {
    if (event.type === 'text-delta') answer += event.text
    if (event.type === 'finish') ({ cachedTokens, promptTokens } = event.usage)
  }
  return { answer, cachedTokens, promptTokens }
}

/** Loads another model that needs the memory, so that the starter model is unloaded. */
async function evict(pool: EnginePool, bytes = 9.9 * GB): Promise<void> {
  await ask(pool, { model: others.make(`other/${bytes}`, bytes) })
  expect(pool.isLoaded('test/chat')).toBe(false)
}

function promptBytes(pool: EnginePool): number {
  return pool.status().reduce((sum, status) => sum + status.promptBytes, 0)
}

/** Returns the memory files open in this process. */
function openMemoryFiles(): string[] {
  return readdirSync('/proc/self/fd')
    .map((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`)
      } catch {
        return ''
      }
    })
    .filter((path) => path.includes('inferd prompts'))
}

test('a prompt of a model that made room for another is not computed again', async () => {
  const { pool, lines } = startPool()
  const first = await ask(pool)
  expect(first).toMatchObject({ cachedTokens: 0 })
  expect(first.promptTokens).toBeGreaterThan(512)
  await evict(pool)
  expect(lines.map(({ message }) => message)).toContainEqual('prompts that wait in memory for its next load: 1, 2 MB')
  expect(await ask(pool)).toEqual({ ...first, cachedTokens: first.promptTokens - 1 })
  // The note was moved, not copied, and can be handed over again.
  await evict(pool)
  expect(await ask(pool, { text: `${longText} and more` })).toMatchObject({ cachedTokens: expect.any(Number) })
  expect((await ask(pool)).cachedTokens).toBe(first.promptTokens - 1)
}, 60_000)

test('only the account whose prompt it is finds it again', async () => {
  const { pool } = startPool()
  const { promptTokens } = await ask(pool)
  await evict(pool)
  expect(await ask(pool, { accountId: 'acc_b' })).toMatchObject({ cachedTokens: 0 })
  expect(await ask(pool)).toMatchObject({ cachedTokens: promptTokens - 1 })
}, 60_000)

test('nothing is left where the other model needs all of the memory', async () => {
  const { pool, lines } = startPool()
  await ask(pool)
  await evict(pool, 10 * GB)
  expect(lines.map(({ message }) => message).join()).not.toContain('wait in memory')
  expect(await ask(pool)).toMatchObject({ cachedTokens: 0 })
}, 60_000)

test('what waits makes way for a model that is loaded later', async () => {
  const { pool } = startPool()
  await ask(pool)
  pool.keepAlive('test/chat', 0)
  await until(
    'the prompt waits in memory',
    () => promptBytes(pool),
    (bytes) => bytes > 0,
  )
  expect(openMemoryFiles()).toHaveLength(1)
  await ask(pool, { model: others.make('other/all', 10 * GB) })
  expect(promptBytes(pool)).toBe(0)
  await noMemoryFiles()
  expect(await ask(pool)).toMatchObject({ cachedTokens: 0 })
}, 60_000)

test('what waits counts as free, as page cache does', async () => {
  const waiting: EnginePool[] = []
  const read = async () => ({
    host: { totalBytes: 10 * GB, freeBytes: 10 * GB - waiting.reduce((sum, each) => sum + promptBytes(each), 0) },
  })
  const { pool, pass } = startPool({ memory: { ...testMemory, read }, poolSettings: { keepBytes: 0 } })
  waiting.push(pool)
  await ask(pool)
  pool.keepAlive('test/chat', 0)
  await until(
    'the prompt waits in memory',
    () => promptBytes(pool),
    (bytes) => bytes > 0,
  )
  pass(60_000) // earlier readings are too old
  expect(await ask(pool, { model: others.make('other/whole', 10 * GB) })).toMatchObject({ answer: 'hello' })
  expect(promptBytes(pool)).toBe(0)
}, 60_000)

test('a prompt waits no longer than it may since its last use', async () => {
  const { pool, pass } = startPool()
  const { promptTokens } = await ask(pool)
  await evict(pool)
  pass(hourMs - 60_000)
  expect(await ask(pool)).toMatchObject({ cachedTokens: promptTokens - 1 })
  await evict(pool)
  pass(hourMs + 1)
  expect(await ask(pool)).toMatchObject({ cachedTokens: 0 })
}, 60_000)

test('no prompt outlives its process where the operator wants none to, or unloads the model', async () => {
  const { pool: off } = startPool({ promptHandoverMs: 0 })
  await ask(off)
  await noMemoryFiles()
  await evict(off)
  expect(await ask(off)).toMatchObject({ cachedTokens: 0 })
  const { pool } = startPool()
  await ask(pool)
  await pool.unload('test/chat')
  await noMemoryFiles()
  expect(await ask(pool)).toMatchObject({ cachedTokens: 0 })
  await evict(pool)
  await pool.unload('test/chat')
  await noMemoryFiles()
  expect(await ask(pool)).toMatchObject({ cachedTokens: 0 })
}, 60_000)

test('a model that is unloaded while it loads again leaves nothing', async () => {
  const { pool } = startPool()
  await ask(pool)
  await evict(pool)
  expect(promptBytes(pool)).toBeGreaterThan(0)
  const leaving = new AbortController()
  pool.load(starter, leaving.signal).catch(() => undefined)
  await until(
    'the model has a process',
    () => pool.status().find(({ modelId }) => modelId === 'test/chat')?.pid,
    (pid) => pid !== undefined,
  )
  leaving.abort()
  await pool.unload('test/chat')
  expect(promptBytes(pool)).toBe(0)
  await noMemoryFiles()
  expect(await ask(pool)).toMatchObject({ cachedTokens: 0 })
}, 60_000)

test('nothing is left of a process that was killed', async () => {
  const { pool } = startPool()
  const { promptTokens } = await ask(pool)
  await evict(pool)
  expect((await ask(pool)).cachedTokens).toBe(promptTokens - 1)
  const { pid } = pool.status().find(({ modelId }) => modelId === 'test/chat') ?? {}
  if (pid === undefined) throw new Error('no process')
  process.kill(pid, 'SIGKILL')
  await until(
    'the model is not loaded',
    () => pool.isLoaded('test/chat'),
    (isLoaded) => !isLoaded,
  )
  expect(await ask(pool)).toMatchObject({ cachedTokens: 0 })
}, 60_000)

test('a model that changed finds nothing', async () => {
  const { pool } = startPool()
  await ask(pool)
  await evict(pool)
  const changed = { ...starter, manifest: { ...starter.manifest, settings: { kvType: 'q8_0' } } }
  expect(await ask(pool, { model: changed })).toMatchObject({ cachedTokens: 0 })
}, 60_000)

/** Waits until a thread has closed all memory files. */
function noMemoryFiles(): Promise<string[]> {
  return until('no memory file is open', openMemoryFiles, (files) => files.length === 0)
}

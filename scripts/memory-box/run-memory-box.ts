/** Runs four models in memory for two, and checks the results. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatTable } from '../../src/cli/format.ts'
import { textContent } from '../../src/core/content.ts'
import { ApiError } from '../../src/core/errors.ts'
import type { InstalledModel } from '../../src/core/model.ts'
import { sizeText } from '../../src/core/quantities.ts'
import { estimatePlacements } from '../../src/engines/estimate.ts'
import { engineSpawn } from '../../src/engines/host/spawn-engine.ts'
import { EnginePool } from '../../src/engines/pool.ts'
import { unlimited } from '../../src/engines/protocol/work-engines.ts'
import { runtimePaths } from '../../src/engines/runtime/runtime-paths.ts'
import { memoryReader, type ReadMemory } from '../../src/machine/read-memory.ts'
import { ModelMemory } from '../../src/memory/model-memory.ts'
import { chatRequest } from '../../src/testing/chat-request.ts'
import { testEngineSettings } from '../../src/testing/engine-settings.ts'
import type { Architecture } from '../../src/testing/gguf/architectures.ts'
import { writeModel } from '../../src/testing/gguf/model-file.ts'
import { modelOfShape, sizedShape } from '../../src/testing/gguf/sized-shape.ts'
import { openTestAccounts } from '../../src/testing/test-accounts.ts'
import { testManifest } from '../../src/testing/test-manifest.ts'
import { testedProgram } from '../../src/testing/tested-program.ts'

export interface MemoryBoxOptions {
  readonly folder: string
  /** Megabytes of each model's weights. */
  readonly megabytes: number
  readonly requests: number
  readonly clients: number
  /** Replaces the readings of this machine's memory, which other programs use too. */
  readonly readMemory?: ReadMemory
}

export interface MemoryBoxReport {
  readonly text: string
  readonly problems: readonly string[]
}

const shapes: readonly Architecture[] = ['qwen3', 'gemma3', 'deepseek2', 'mamba2']
const promised = ['model_loading', 'overloaded', 'insufficient_memory']
const sampleEveryMs = 100

export async function runMemoryBox(options: MemoryBoxOptions): Promise<MemoryBoxReport> {
  const models = await Promise.all(shapes.map((shape, index) => makeModel(options, shape, index)))
  const host = {
    spawn: engineSpawn({ command: testedProgram, environment: {} }),
    settings: { ...testEngineSettings, contextTokens: 4096, prefixCacheMb: 0 },
    runtime: () => runtimePaths(''),
  }
  const estimates = await Promise.all(models.map((model) => needOf(model, host)))
  // The two largest models fit together, and a third does not.
  const limitBytes = Math.round(
    estimates
      .toSorted((a, b) => b - a)
      .slice(0, 2)
      .reduce((sum, need) => sum + need, 0) * 1.05,
  )
  using books = openTestAccounts()
  const memory = new ModelMemory({
    version: 'memory-box',
    store: books.stores.measuredMemory,
    dryRuns: books.stores.dryRuns,
    stepCurves: books.stores.stepCurves,
    write: (work) => work(),
    readMemory: options.readMemory ?? memoryReader({ environment: {} }),
  })
  const pool = new EnginePool({
    ...host,
    memory,
    log: ({ modelId, level, message }) => level !== 'info' && console.error(`${modelId}: ${message}`),
    poolSettings: { limitBytes, keepBytes: 0 },
    queueWaitMs: 600_000,
    promptHandoverMs: 3_600_000,
  })
  const use = sampleUse()
  try {
    const [a, b, c] = models
    if (a === undefined || b === undefined || c === undefined) throw new Error('there are four shapes: this is a bug')
    // Two of three models fit. One load serves all requests that wait for a model.
    for (const model of [a, a, b, a, b]) await ask(pool, model)
    await Promise.all([c, a, c, c].map((model) => ask(pool, model)))
    const scripted = loadsOf(pool)
    const outcomes = new Map<string, number>()
    const startMs = performance.now()
    let left = options.requests
    let seed = 7
    const client = async (index: number) => {
      while (left-- > 0) {
        seed = (seed * 48_271) % 2_147_483_647
        // Some models get more requests than others.
        const model = models[[0, 0, 0, 1, 1, 2, 3][seed % 7] ?? 0] ?? a
        const outcome = await ask(pool, model, `acc_${index}`)
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: options.clients }, (_, index) => client(index)))
    const seconds = (performance.now() - startMs) / 1000
    const peakBytes = use.stop()
    const rows = models.map((model, index) => {
      const status = pool.status().find(({ modelId }) => modelId === model.manifest.id)
      const peak = measuredPeak(books, model)
      const estimate = estimates[index] ?? 0
      return { id: model.manifest.id, estimate, peak, loads: status?.loads ?? 0, stops: status?.stops ?? {} }
    })
    const failures = [...outcomes].filter(([outcome]) => outcome !== 'done' && !promised.includes(outcome))
    const problems = [
      ...failures.map(([outcome, count]) => `${count} requests ended with ${outcome}`),
      ...(peakBytes > limitBytes ? [`models used ${sizeText(peakBytes)}, the limit is ${sizeText(limitBytes)}`] : []),
      ...(scripted > 3 ? [`the scripted order took ${scripted} loads, not 3`] : []),
    ]
    const text = [
      formatTable(rows, {
        MODEL: ({ id }) => id,
        ESTIMATE: ({ estimate }) => sizeText(estimate),
        MEASURED: ({ peak }) => sizeText(peak),
        'MEASURED / ESTIMATE': ({ peak, estimate }) => (peak / estimate).toFixed(3),
        LOADS: ({ loads }) => String(loads),
        STOPS: ({ stops }) => JSON.stringify(stops),
      }),
      `limit ${sizeText(limitBytes)}, highest use ${sizeText(peakBytes)} (sum of PSS, every ${sampleEveryMs} ms)`,
      `scripted order: ${scripted} loads (3 are the least)`,
      `${options.requests} requests of ${options.clients} clients in ${seconds.toFixed(0)} s: ${[...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ')}`,
      ...problems.map((problem) => `PROBLEM ${problem}`),
    ].join('\n')
    return { text, problems }
  } finally {
    use.stop()
    await pool.stop()
  }
}

async function makeModel(
  { folder, megabytes }: MemoryBoxOptions,
  shape: Architecture,
  index: number,
): Promise<InstalledModel> {
  const id = `box/${shape}`
  const path = join(folder, `${shape}.gguf`)
  // Not all of one size.
  const bytes = megabytes * (1 + index * 0.15) * 1e6
  await writeModel(modelOfShape(shape, sizedShape(shape, shape, bytes), { seed: index + 1 }), path)
  return { manifest: testManifest({ id, engine: 'llama', contextLength: 4096 }), filePaths: { model: path } }
}

async function needOf(
  model: InstalledModel,
  host: Pick<Parameters<typeof estimatePlacements>[1], 'spawn' | 'settings' | 'runtime'>,
): Promise<number> {
  const budgetBytes = { host: Number.MAX_SAFE_INTEGER }
  const [placement] = await estimatePlacements(model, { ...host, budgetBytes }, new AbortController().signal)
  return placement?.needBytes.host ?? 0
}

/** Returns `done`, or the error's code. */
async function ask(pool: EnginePool, model: InstalledModel, accountId = 'acc_1'): Promise<string> {
  const request = chatRequest({ messages: [{ role: 'user', content: textContent('Say something.') }], maxTokens: 8 })
  const context = { accountId, signal: new AbortController().signal, meter: unlimited }
  try {
    await Array.fromAsync(pool.run(model, { kind: 'chat', request }, context))
    return 'done'
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error)
  }
}

function loadsOf(pool: EnginePool): number {
  return pool.status().reduce((sum, { loads }) => sum + loads, 0)
}

function measuredPeak({ database }: ReturnType<typeof openTestAccounts>, { manifest }: InstalledModel): number {
  const sql = 'SELECT peak FROM measured_memory WHERE model_id = ?'
  const row = database.query<{ peak: string }, [string]>(sql).get(manifest.id)
  return row === null ? 0 : JSON.parse(row.peak).host
}

/** Measures the highest sum of the proportional memory of this process's children. */
function sampleUse(): { stop(): number } {
  let peakBytes = 0
  const timer = setInterval(() => {
    const bytes = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && isChild(name))
      .reduce((sum, pid) => sum + proportionalBytes(pid), 0)
    peakBytes = Math.max(peakBytes, bytes)
  }, sampleEveryMs)
  return {
    stop: () => {
      clearInterval(timer)
      return peakBytes
    },
  }
}

function isChild(pid: string): boolean {
  return Number(/^PPid:\s+(\d+)$/m.exec(readOf(pid, 'status'))?.[1]) === process.pid
}

function proportionalBytes(pid: string): number {
  return Number(/^Pss:\s+(\d+) kB$/m.exec(readOf(pid, 'smaps_rollup'))?.[1] ?? 0) * 1024
}

/** Returns the file's text; empty for a process that has ended. */
function readOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

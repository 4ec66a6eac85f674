/**
 * Measures how much two busy models slow down each other, with and without the rule that shares their threads. See
 * docs/benchmarks.md.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { textContent } from '../src/core/content.ts'
import type { InstalledModel } from '../src/core/model.ts'
import { sharingCores } from '../src/engines/host/share-cores.ts'
import { type EngineSpawn, engineSpawn } from '../src/engines/host/spawn-engine.ts'
import type { EnginePool } from '../src/engines/pool.ts'
import { unlimited } from '../src/engines/protocol/work-engines.ts'
import { runtimePaths } from '../src/engines/runtime/runtime-paths.ts'
import { readCpuAllowance } from '../src/machine/cpu-allowance.ts'
import { chatRequest } from '../src/testing/chat-request.ts'
import { testPool } from '../src/testing/engine-pool.ts'
import { testEngineSettings } from '../src/testing/engine-settings.ts'
import { testManifest } from '../src/testing/test-manifest.ts'
import { generatedModel } from './bench/chat/generated-model.ts'
import { readFlags, runScript } from './shared/command-line.ts'
import { describeMachine, readMachine } from './shared/machine.ts'
import { markdownTable } from './shared/markdown-table.ts'
import { median } from './shared/statistics.ts'

const usage = 'usage: bun run bench:cores [--rounds 7] [--seconds 3] [--streams 2] [--threads CORES] [--model FILE]'
const root = join(import.meta.dir, '..')
const goal = 0.9

/** Most tokens of an answer. The generated model seldom ends one, since each of 151,936 tokens is equally likely. */
const longestAnswer = 4096

async function main(): Promise<number> {
  const flags = readFlags({ rounds: 7, seconds: 3, streams: 2, threads: availableParallelism(), model: '' })
  const models = await twoModels(flags.model)
  const spawn = engineSpawn({ command: [process.execPath, join(root, 'src/main.ts')], environment: {} })
  await using free = startPool(spawn, flags.threads)
  await using sharing = startPool(sharingCores(spawn, readCpuAllowance()), flags.threads)
  const [first, second] = models
  const ways = {
    'one model alone': () => measure(free, [first], flags),
    'the other alone': () => measure(free, [second], flags),
    'both, each with all threads': () => measure(free, models, flags),
    'both, sharing the cores': () => measure(sharing, models, flags),
  }
  const rates = Object.keys(ways).map((): number[][] => [])
  // The first round loads the models.
  for (let round = 0; round <= flags.rounds; round++) {
    for (const [index, way] of Object.values(ways).entries()) {
      const rate = await way()
      if (round > 0) rates[index]?.push(rate)
    }
  }
  const alone = rates.slice(0, 2).flat(2)
  const rows = Object.keys(ways).map((name, index) => {
    const rounds = rates[index] ?? []
    const each = [0, 1].map((model) => median(rounds.flatMap((rate) => rate[model] ?? [])))
    const ratio = median(rounds.map((rate) => sum(rate))) / median(alone)
    return {
      ratio,
      cells: [name, ...each.map((rate) => (Number.isNaN(rate) ? '' : rate.toFixed(1))), ratio.toFixed(2)],
    }
  })
  const head = ['', 'tokens/s', 'tokens/s of the other', 'sum ÷ alone']
  const table = markdownTable(
    head,
    rows.map(({ cells }) => cells),
  )
  console.log([...describeMachine(await readMachine()), '', ...table].join('\n'))
  const reached = rows.at(-1)?.ratio ?? 0
  if (reached < goal)
    console.error(`two models together do ${reached.toFixed(2)} of what one does: the goal is ${goal}`)
  return reached < goal ? 1 : 0
}

interface Load {
  readonly seconds: number
  readonly streams: number
}

/** Returns the tokens per second of each model while all of them answer. */
async function measure(
  pool: EnginePool,
  models: readonly InstalledModel[],
  { seconds, streams }: Load,
): Promise<number[]> {
  const abort = new AbortController()
  const answers = models.flatMap((model) => Array.from({ length: streams }, () => answer(pool, model, abort.signal)))
  await Promise.all(answers.map(({ begun }) => begun))
  const count = () =>
    Promise.all(models.map(async ({ manifest }) => (await pool.stats(manifest.id))?.generatedTokens ?? 0))
  const [before, startMs] = [await count(), performance.now()]
  await Bun.sleep(seconds * 1000)
  const [after, endMs] = [await count(), performance.now()]
  abort.abort(new Error('measured'))
  await Promise.all(answers.map(({ ended }) => ended))
  return after.map((tokens, index) => ((tokens - (before[index] ?? 0)) * 1000) / (endMs - startMs))
}

function answer(pool: EnginePool, model: InstalledModel, signal: AbortSignal) {
  const begun = Promise.withResolvers<void>()
  const messages = [{ role: 'user' as const, content: textContent('Tell me a very long story.') }]
  const request = chatRequest({ messages, maxTokens: longestAnswer, repetitionLimit: 'none' })
  const events = pool.run(model, { kind: 'chat', request }, { accountId: 'acc_1', signal, meter: unlimited })
  const consume = async () => {
    try {
      for await (const { type } of events) if (type === 'text-delta') begun.resolve()
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
  return { begun: begun.promise, ended: consume() }
}

function startPool(spawn: EngineSpawn, threads: number): EnginePool & AsyncDisposable {
  const pool = testPool({
    spawn,
    settings: { ...testEngineSettings, threads, contextTokens: 32_768, parallel: 8 },
    runtime: () => runtimePaths(''),
    log: ({ modelId, level, message }) => level !== 'info' && console.error(`${modelId}: ${message}`),
  })
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.stop() })
}

/** Returns two models of one file, so that each has a separate engine. */
async function twoModels(file: string): Promise<readonly [InstalledModel, InstalledModel]> {
  const path = file === '' ? await generatedModel(root) : file
  const model = (id: string) => ({ manifest: testManifest({ id, engine: 'llama' }), filePaths: { model: path } })
  return [model('bench/one'), model('bench/other')]
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0)
}

runScript(usage, main)

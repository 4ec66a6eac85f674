/** Measures one step of the decoder by its number of rows. See docs/benchmarks.md. */
import { appendFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import type { NativeAddon, NativeContext, NativeModel } from '../src/engines/llama/native.ts'
import { loadOptions, onCpu } from '../src/engines/llama/placement.ts'
import { greedySampler, openTestAddon } from '../src/testing/native-options.ts'
import { generatedModel } from './bench/chat/generated-model.ts'
import { servedSteps } from './bench/chat/served-steps.ts'
import { readCounts, readFlags, runScript, words } from './shared/command-line.ts'
import { markdownTable } from './shared/markdown-table.ts'
import { median } from './shared/statistics.ts'

const usage = `usage: bun run bench:steps [--model FILE] [--rows 1,2,3,4,5,6,7,8,12,16,31,32] [--prompt-rows 8,16,32,64,128,256]
  [--beside 8] [--held 64] [--repeats 5] [--threads cores-1] [--cache each,one] [--log FILE]
  [--streams 1,8,32,64] [--prompt-tokens 64] [--tokens 48] [--inferd COMMAND]
Times steps of the addon alone by their rows, then steps of a whole server by phase beside llama.cpp's bare loop.
  --log      file for the phases of each step of the addon, as lines of JSON
  --rows, --prompt-rows, --streams   leave out what is empty`

interface Setup {
  readonly addon: NativeAddon
  readonly model: NativeModel
  readonly isUnified: boolean
  readonly sequences: number
  readonly threads: number
  /** Tokens that each sequence holds. */
  readonly held: number
  readonly repeats: number
  /** File for the phases of each step. Empty for none. */
  readonly log: string
}

/** Context in which every sequence always holds the same number of tokens, also after each measured step. */
class StepTimer {
  readonly #context: NativeContext
  readonly #setup: Setup
  readonly #samplers

  constructor(setup: Setup) {
    const { addon, model, isUnified, sequences, threads, held } = setup
    this.#setup = setup
    this.#context = new addon.Context(model, {
      contextTokens: sequences * Math.ceil((held + 1024) / 256) * 256,
      batchTokens: 512,
      microBatchTokens: 512,
      sequences,
      threads,
      kvUnified: isUnified,
      kvType: 'f16',
      flashAttention: 'auto',
    })
    this.#samplers = Array.from(
      { length: sequences },
      () => new addon.Sampler(model, { ...greedySampler, temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05 }),
    )
  }

  async fill(): Promise<void> {
    const { sequences, held } = this.#setup
    for (let sequence = 0; sequence < sequences; sequence++) {
      for (let from = 0; from < held; from += 512) await this.#step([[sequence, from, Math.min(512, held - from)]])
    }
  }

  /**
   * Returns the median time of a step with this many rows of each of these sequences, which samples after the last row.
   */
  async measure(parts: readonly (readonly [sequence: number, rows: number])[]): Promise<number> {
    const { held, repeats } = this.#setup
    const times: number[] = []
    for (let repeat = 0; repeat < repeats; repeat++) {
      if (times.length > 2 && times.reduce((sum, ms) => sum + ms, 0) > 2000) break
      const startMs = performance.now()
      await this.#step(parts.map(([sequence, rows]) => [sequence, held, rows]))
      times.push(performance.now() - startMs)
      for (const [sequence] of parts) this.#context.removeSequence(sequence, held, -1)
    }
    return median(times)
  }

  close(): Promise<void> {
    return this.#context.close()
  }

  async #step(parts: readonly (readonly [sequence: number, from: number, rows: number])[]): Promise<void> {
    const entries = parts.flatMap(([sequence, from, rows]) =>
      Array.from({ length: rows }, (_, row) => ({ sequence, position: from + row, isLast: row === rows - 1 })),
    )
    const result = await this.#context.step({
      tokens: Int32Array.from(entries, (_, index) => (index * 7919) % this.#setup.model.info.vocabularySize),
      positions: Int32Array.from(entries, ({ position }) => position),
      sequences: Int32Array.from(entries, ({ sequence }) => sequence),
      outputs: entries.flatMap(({ sequence, isLast }, entry) => {
        const sampler = this.#samplers[sequence]
        return isLast && sampler !== undefined ? [{ entry, sampler }] : []
      }),
    })
    if (result.kind !== 'ok') throw new Error('the cache is full: this is a bug')
    const { isUnified, log } = this.#setup
    if (log !== '') appendFileSync(log, `${JSON.stringify({ isUnified, rows: entries.length, ...result.times })}\n`)
  }
}

async function main(): Promise<number> {
  const flags = readFlags({
    ...{ model: '', rows: '1,2,3,4,5,6,7,8,12,16,31,32', promptRows: '8,16,32,64,128,256' },
    ...{ beside: 8, held: 64, repeats: 5, threads: Math.max(1, availableParallelism() - 1), cache: 'each,one' },
    ...{ log: '', streams: '1,8,32,64', promptTokens: 64, tokens: 48, inferd: `${process.execPath} src/main.ts` },
  })
  const addon = await openTestAddon()
  const root = join(import.meta.dir, '..')
  const path = flags.model === '' ? await generatedModel(root) : resolve(flags.model)
  const model = await addon.loadModel(loadOptions(path, onCpu))
  const [rows, promptRows, streams] = (['rows', 'promptRows', 'streams'] as const).map((name) =>
    flags[name] === '' ? [] : readCounts(name, flags[name]),
  ) as [number[], number[], number[]]
  const sequences = Math.max(...rows, flags.beside + 1)
  const first = (count: number) => Array.from({ length: count }, (_, sequence) => [sequence, 1] as const)
  const kinds: readonly [string, readonly number[], (count: number) => (readonly [number, number])[]][] = [
    ['answers', rows, first],
    ['one prompt', promptRows, (count) => [[0, count]]],
    [`a prompt beside ${flags.beside} answers`, promptRows, (count) => [...first(flags.beside), [flags.beside, count]]],
  ]
  const caches = flags.cache.split(',').map((cache) => (cache === 'one' ? 'one' : 'each'))
  const isAddonTimed = rows.length + promptRows.length > 0
  for (const cache of isAddonTimed ? caches : []) {
    const timer = new StepTimer({ ...flags, addon, model, isUnified: cache === 'one', sequences })
    await timer.fill()
    for (const [name, counts, toParts] of kinds) {
      if (counts.length === 0) continue
      const times: number[] = []
      for (const count of counts) times.push(await timer.measure(toParts(count)))
      const title = `cache: ${cache}; ${name}, rows`
      const table = markdownTable([title, ...counts.map(String)], [['ms', ...times.map((ms) => ms.toFixed(1))]])
      console.log(table.join('\n'))
    }
    await timer.close()
  }
  model.close()
  if (streams.length === 0) return 0
  for (const cache of caches) {
    console.log(await servedSteps({ ...flags, root, cache, streams, model: path, inferd: words(flags.inferd) }))
  }
  return 0
}

runScript(usage, main)

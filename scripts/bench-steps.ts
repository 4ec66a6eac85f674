/** What one step of the decoder costs by its number of rows; see docs/benchmarks.md. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { NativeAddon, NativeContext, NativeModel } from '../src/engines/llama/native.ts'
import { loadOptions, onCpu } from '../src/engines/llama/placement.ts'
import { greedySampler, openTestAddon } from '../src/testing/native-options.ts'
import { generatedModel } from './bench/chat/generated-model.ts'
import { readCounts, readFlags, runScript } from './shared/command-line.ts'
import { markdownTable } from './shared/markdown-table.ts'
import { median } from './shared/statistics.ts'

const usage = `usage: bun run bench:steps [--model FILE] [--rows 1,2,3,4,5,6,7,8,12,16,31,32] [--prompt-rows 8,16,32,64,128,256]
  [--beside 8] [--held 64] [--repeats 5] [--threads cores-1] [--cache parts,one]`

interface Setup {
  readonly addon: NativeAddon
  readonly model: NativeModel
  readonly isUnified: boolean
  readonly sequences: number
  readonly threads: number
  /** Tokens that each sequence holds. */
  readonly held: number
  readonly repeats: number
}

/** A context in which every sequence holds the same number of tokens, again after each step that is timed. */
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

  /** Median time of a step that takes so many rows of each of these sequences, and samples after the last one. */
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
      tokens: Int32Array.from(entries, (_, index) => 1000 + ((index * 7919) % 50_000)),
      positions: Int32Array.from(entries, ({ position }) => position),
      sequences: Int32Array.from(entries, ({ sequence }) => sequence),
      outputs: entries.flatMap(({ sequence, isLast }, entry) => {
        const sampler = this.#samplers[sequence]
        return isLast && sampler !== undefined ? [{ entry, sampler }] : []
      }),
    })
    if (result.kind !== 'ok') throw new Error('the cache is full: this is a bug')
  }
}

async function main(): Promise<number> {
  const flags = readFlags({
    ...{ model: '', rows: '1,2,3,4,5,6,7,8,12,16,31,32', promptRows: '8,16,32,64,128,256' },
    ...{ beside: 8, held: 64, repeats: 5, threads: Math.max(1, availableParallelism() - 1), cache: 'parts,one' },
  })
  const addon = await openTestAddon()
  const path = flags.model === '' ? await generatedModel(join(import.meta.dir, '..')) : flags.model
  const model = await addon.loadModel(loadOptions(path, onCpu))
  const rows = readCounts('rows', flags.rows)
  const promptRows = readCounts('prompt-rows', flags.promptRows)
  const sequences = Math.max(...rows, flags.beside + 1)
  const first = (count: number) => Array.from({ length: count }, (_, sequence) => [sequence, 1] as const)
  const kinds: readonly [string, readonly number[], (count: number) => (readonly [number, number])[]][] = [
    ['answers', rows, first],
    ['one prompt', promptRows, (count) => [[0, count]]],
    [`a prompt beside ${flags.beside} answers`, promptRows, (count) => [...first(flags.beside), [flags.beside, count]]],
  ]
  for (const cache of flags.cache.split(',')) {
    const timer = new StepTimer({ ...flags, addon, model, isUnified: cache === 'one', sequences })
    await timer.fill()
    for (const [name, counts, toParts] of kinds) {
      const times: number[] = []
      for (const count of counts) times.push(await timer.measure(toParts(count)))
      const title = `cache: ${cache}; ${name}, rows`
      const table = markdownTable([title, ...counts.map(String)], [['ms', ...times.map((ms) => ms.toFixed(1))]])
      console.log(table.join('\n'))
    }
    await timer.close()
  }
  model.close()
  return 0
}

runScript(usage, main)

/** Measures the gain of proposed tokens, and their cost if they are wrong. See docs/benchmarks.md. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { loadOptions, onCpu } from '../src/engines/llama/placement.ts'
import { openTestAddon } from '../src/testing/native-options.ts'
import { generatedModel } from './bench/chat/generated-model.ts'
import { type DraftRun, runTasks } from './bench/drafts/run-tasks.ts'
import { type TaskKind, tasks } from './bench/drafts/texts.ts'
import { readCounts, readFlags, runScript } from './shared/command-line.ts'
import { markdownTable } from './shared/markdown-table.ts'
import { median } from './shared/statistics.ts'

const usage = `usage: bun run bench:drafts [--model FILE] [--streams 1,8,32] [--tokens 150] [--rounds 2] [--threads cores-1]
  [--tasks copy,code edit,prose] [--cache one|parts]`

const flags = {
  /** GGUF file. Defaults to a model of random weights, whose answers are given by scripts/bench/drafts/. */
  model: '',
  streams: '1,8,32',
  tokens: 150,
  rounds: 2,
  threads: Math.max(1, availableParallelism() - 1),
  tasks: Object.keys(tasks).join(','),
  /** KV cache: one for all streams, as the server's default, or a part for each. */
  cache: 'one',
}

runScript(usage, async () => {
  const options = readFlags(flags)
  if (!['one', 'parts'].includes(options.cache)) throw new Error('--cache: neither one nor parts')
  const addon = await openTestAddon()
  const path = options.model || (await generatedModel(join(import.meta.dir, '..')))
  const model = await addon.loadModel(loadOptions(path, onCpu))
  const rows: (readonly string[])[] = []
  for (const streams of readCounts('streams', options.streams)) {
    for (const kind of options.tasks.split(',') as TaskKind[]) {
      const rounds: (readonly [without: DraftRun, beside: DraftRun])[] = []
      for (let round = 0; round < options.rounds; round++) {
        const { tokens, threads, cache } = options
        const setup = { addon, model, threads, streams, tokens, isUnified: cache !== 'parts' }
        const run = (isOn: boolean) => runTasks({ ...setup, task: tasks[kind], isOn })
        rounds.push([await run(false), await run(true)])
      }
      const of = (read: (pair: readonly [DraftRun, DraftRun]) => number) => median(rounds.map(read))
      rows.push([
        `${streams}`,
        kind,
        of(([without]) => without.tokensPerSecond).toFixed(1),
        of(([, beside]) => beside.tokensPerSecond).toFixed(1),
        of(([without, beside]) => beside.tokensPerSecond / without.tokensPerSecond).toFixed(2),
        of(([without, beside]) => beside.tokensPerCpuSecond / without.tokensPerCpuSecond).toFixed(2),
        of(([, beside]) => beside.drafted).toFixed(0),
        of(([, beside]) => beside.accepted).toFixed(0),
      ])
    }
  }
  const heads = ['streams', 'task', 'tokens/s without', 'with', 'ratio', 'of CPU time', 'proposed', 'right']
  console.log(markdownTable(heads, rows, { labels: 2 }).join('\n'))
  model.close()
  return 0
})

/**
 * Compares the scheduler with others in simulated hours on one GPU. Fails if the scheduler uses more memory than there
 * is, has a longer mean wait than the others, or neglects a model.
 *
 *     bun run simulate            # 3 hours, 3 seeds
 */
import { Scheduler } from '../src/scheduler/scheduler.ts'
import { markdownTable } from './shared/markdown-table.ts'
import { percentile } from './shared/statistics.ts'
import { LeastRecentlyUsed, LeastRecentlyUsedInOrder, OllamaLike, OneAtATime } from './simulate/baselines.ts'
import { type Box, keptGB, type Outcome, type Policy, simulate } from './simulate/gpu-box.ts'
import { arrivals, models } from './simulate/load.ts'

const policies: Readonly<Record<string, (box: Box) => Policy>> = {
  inferd: () => new Scheduler(0),
  LRU: (box) => new LeastRecentlyUsed(box),
  'Ollama-like': (box) => new OllamaLike(box),
  'LRU in order': (box) => new LeastRecentlyUsedInOrder(box),
  'one at a time': (box) => new OneAtATime(box),
}

const cases = [
  { totalGB: 24, perSecond: 0.12 },
  { totalGB: 24, perSecond: 0.25 },
  { totalGB: 80, perSecond: 0.15 },
  { totalGB: 80, perSecond: 0.25 },
  { totalGB: 80, perSecond: 0.35 },
  { totalGB: 141, perSecond: 0.2 },
] as const

/** Factor below which means differ only by the seed. */
const noise = 1.05
/** Requests per second at which the GPU is busy nearly all the time. */
const highestPerSecond = 0.35

interface Summary {
  readonly meanS: number
  readonly p50S: number
  readonly p99S: number
  readonly worstP99S: number
  readonly loadsPerHour: number
  readonly overCommits: number
  readonly busyShare: number
}

function summary(outcomes: readonly Outcome[]): Summary {
  const all = outcomes.flatMap(({ waits }) => [...waits.values()].flat())
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const worst = ({ waits }: Outcome) =>
    Math.max(...[...waits.values()].filter(({ length }) => length > 0).map((each) => percentile(each, 0.99)))
  return {
    meanS: mean(all),
    p50S: percentile(all, 0.5),
    p99S: percentile(all, 0.99),
    worstP99S: mean(outcomes.map(worst)),
    loadsPerHour: mean(outcomes.map(({ loads, hours }) => loads / hours)),
    overCommits: outcomes.reduce((sum, { overCommits }) => sum + overCommits, 0),
    busyShare: mean(outcomes.map(({ busyShare }) => busyShare)),
  }
}

const hours = Number(process.argv[2] ?? 3)
const seeds = [1, 2, 3]
const problems: string[] = []
const rows = cases.map(({ totalGB, perSecond }) => {
  const box = { totalGB, models: models.filter(({ needGB }) => needGB <= totalGB - keptGB) }
  const loads = seeds.map((seed) => arrivals(box.models, perSecond, hours, seed))
  const summaries = Object.entries(policies).map(
    ([name, policy]) => [name, summary(loads.map((load) => simulate(box, load, policy(box))))] as const,
  )
  const name = `${totalGB} GB, ${perSecond}/s`
  problems.push(...brokenPromises(name, Object.fromEntries(summaries), perSecond))
  const busy = Math.round(100 * (summaries[0]?.[1].busyShare ?? 0))
  return [`${name} (${busy} %)`, ...summaries.map(([, each]) => describe(each))]
})

function describe({ meanS, p50S, p99S, worstP99S, loadsPerHour, overCommits }: Summary): string {
  const over = overCommits > 0 ? ` · ${overCommits} OVER` : ''
  return `${meanS.toFixed(1)} / ${p50S.toFixed(1)} / ${p99S.toFixed(0)} / ${worstP99S.toFixed(0)} · ${loadsPerHour.toFixed(0)}${over}`
}

function brokenPromises(name: string, by: Readonly<Record<string, Summary>>, perSecond: number): string[] {
  const { inferd: ours, LRU: lru, 'Ollama-like': ollama } = by
  if (ours === undefined || lru === undefined || ollama === undefined) return []
  const promises: Readonly<Record<string, boolean>> = {
    'more memory is used than there is': ours.overCommits === 0,
    'the mean wait is longer than with LRU': ours.meanS <= lru.meanS * noise,
    'the mean wait is longer than Ollama-like': ours.meanS <= ollama.meanS * noise,
    "the worst model's p99 is more than half of LRU's":
      perSecond < highestPerSecond || ours.worstP99S <= lru.worstP99S / 2,
  }
  return Object.entries(promises).flatMap(([problem, isKept]) => (isKept ? [] : [`${name}: ${problem}`]))
}

console.log('Seconds of wait: mean / median / p99 / p99 of the worst model · loads per hour\n')
console.log(markdownTable(['GPU, requests (busy)', ...Object.keys(policies)], rows).join('\n'))
for (const problem of problems) console.log(problem)
if (problems.length > 0) process.exitCode = 1

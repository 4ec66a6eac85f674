import { markdownTable } from '../../shared/markdown-table.ts'
import { median, percentile } from '../../shared/statistics.ts'
import type { LoadFigures } from './load.ts'

const addedGoalMs = 2
const ratioGoal = 0.95

/** Figures of a load, by round. */
export interface Level {
  readonly name: string
  readonly streams: number
  /** Figures of the upstream server, without inferd. */
  readonly direct: readonly LoadFigures[]
  /** Figures through inferd. Only here CPU time counts. */
  readonly through: readonly LoadFigures[]
}

export function levelTable(levels: readonly Level[]): string[] {
  const head = [
    'a piece every',
    'streams',
    'first token p50 ms, direct',
    'added p50',
    'added p99',
    'gap p99 ms, direct',
    'through inferd',
    'tokens/s, direct',
    'through ÷ direct',
    'CPU ms of inferd a 1,000 tokens',
  ]
  const rows = levels.map((level) => {
    const { name, streams, direct, through } = level
    const cpuMs = (1_000_000 * sum(through, 'cpuSeconds')) / sum(through, 'tokens')
    return [
      name,
      `${streams}`,
      of(direct, 'firstP50Ms').toFixed(2),
      added(level, 'firstP50Ms').toFixed(2),
      added(level, 'firstP99Ms').toFixed(2),
      of(direct, 'gapP99Ms').toFixed(1),
      of(through, 'gapP99Ms').toFixed(1),
      of(direct, 'tokensPerSecond').toFixed(0),
      ratio(level).toFixed(3),
      cpuMs.toFixed(0),
    ]
  })
  return markdownTable(head, rows)
}

/** Returns a table of the delays until the upstream server knew that clients had left. */
export function leavingTable(found: readonly { readonly streams: number; readonly delaysMs: readonly number[] }[]) {
  const rows = found.map(({ streams, delaysMs }) => [
    `${streams}`,
    percentile(delaysMs, 0.5).toFixed(1),
    Math.max(...delaysMs).toFixed(1),
  ])
  return markdownTable(['streams', 'until the upstream server sees it, p50 ms', 'longest ms'], rows)
}

export function missedGoals(levels: readonly Level[]): string[] {
  return levels.flatMap((level) => {
    const { name, streams } = level
    const addedMs = added(level, 'firstP50Ms')
    const times = ratio(level)
    return [
      ...(addedMs > addedGoalMs
        ? [`adds ${addedMs.toFixed(2)} ms (${name}, ${streams}): the goal is ${addedGoalMs}`]
        : []),
      ...(times < ratioGoal ? [`throughput ${times.toFixed(3)} (${name}, ${streams}): the goal is ${ratioGoal}`] : []),
    ]
  })
}

/** Returns the median of the rounds' differences. */
function added({ direct, through }: Level, figure: keyof LoadFigures): number {
  return median(through.map((round, index) => round[figure] - (direct[index]?.[figure] ?? Number.NaN)))
}

function ratio({ direct, through }: Level): number {
  return median(through.map((round, index) => round.tokensPerSecond / (direct[index]?.tokensPerSecond ?? Number.NaN)))
}

function of(rounds: readonly LoadFigures[], figure: keyof LoadFigures): number {
  return median(rounds.map((round) => round[figure]))
}

function sum(rounds: readonly LoadFigures[], figure: keyof LoadFigures): number {
  return rounds.reduce((total, round) => total + round[figure], 0)
}

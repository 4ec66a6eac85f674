import { describeMachine, type MachineFacts } from '../../shared/machine.ts'
import { markdownTable } from '../../shared/markdown-table.ts'
import type { GrowthFigures, RateFigures } from './measure-sink.ts'

/** Pieces per second that a dialect must reach on one core. */
export const rateGoal = 300_000
/** Largest permitted cost of a long answer's last thousand pieces, as a multiple of the first thousand. */
const growthGoal = 1.5
/** Time below which the clock and the garbage collector dominate the figure. */
const measurableMs = 0.1

/** Returns whether a long answer's end costs too much compared with its beginning. */
export function hasGrown({ lastMs, ratio }: GrowthFigures): boolean {
  return ratio > growthGoal && lastMs > measurableMs
}

export interface WireRow {
  readonly name: string
  /** Kind of content of the answer. */
  readonly kind: string
  /** Least pieces per CPU second. */
  readonly goal: number
  readonly rate: RateFigures
  readonly growth: GrowthFigures
}

/** Returns all figures as Markdown. */
export function renderWireReport(
  machine: MachineFacts,
  settings: { readonly events: number; readonly tokens: number; readonly rounds: number },
  rows: readonly WireRow[],
): string {
  return [
    '# Wire benchmark',
    '',
    ...describeMachine(machine),
    `- ${settings.events} events an answer for speed, ${settings.tokens} for growth; medians of ${settings.rounds} rounds`,
    '',
    ...markdownTable(
      ['', 'answer of', 'events/s', 'events/CPU s', 'first 1,000 ms', 'last 1,000 ms', 'last ÷ first', 'closing ms'],
      rows.map(({ name, kind, rate, growth }) => [
        name,
        kind,
        thousands(rate.perSecond),
        thousands(rate.perCpuSecond),
        growth.firstMs.toFixed(2),
        growth.lastMs.toFixed(2),
        growth.ratio.toFixed(2),
        growth.tailMs.toFixed(2),
      ]),
      { labels: 2 },
    ),
    `Goals: more than ${thousands(rateGoal)} events/CPU s for a dialect; last ÷ first at most ${growthGoal}.`,
  ].join('\n')
}

function thousands(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

import type { OperationJson } from '../../../src/operations/money-text.ts'
import { moneyText } from '../../parts/money-text.ts'
import { texts } from '../../texts/texts.ts'

export type Report = OperationJson<'usage-report'>
export type Row = Report['rows'][number]
export type Sums = Report['total']
export type Measure = keyof typeof texts.usage.measures

interface MeasureOf {
  /** For drawing; no figure that is shown is computed from it. */
  readonly size: (sums: Sums) => number
  readonly text: (size: number) => string
}

const whole = new Intl.NumberFormat('en')

export function countText(count: number): string {
  return whole.format(count)
}

export const measures: Readonly<Record<Measure, MeasureOf>> = {
  cost: { size: ({ costUsd }) => Number(costUsd), text: (usd) => moneyText(usd.toFixed(9)).text },
  requests: { size: ({ requests }) => requests, text: countText },
  tokens: { size: (sums) => sums.promptTokens + sums.completionTokens, text: countText },
  audio: { size: ({ audioMs }) => audioMs / 60_000, text: (minutes) => `${minutes.toFixed(1)} min` },
}

/** What a row is about: its last group. */
export function nameOf({ groups }: Row): string {
  const group = groups.at(-1)
  if (group === undefined || group.id === '') return texts.usage.others
  return group.label ?? group.id
}

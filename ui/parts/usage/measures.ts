/** Measures of usage and the text of their figures. */
import type { UsageGrouping, UsageMeasure } from '../../../src/core/usage.ts'
import type { OperationJson } from '../../../src/operations/money-text.ts'
import { texts } from '../../texts/texts.ts'
import { moneyText } from '../money-text.ts'

export type Report = OperationJson<'usage-report'>
export type Row = Report['rows'][number]
export type Sums = Report['total']
export type Measure = UsageMeasure
export type Grouping = UsageGrouping

interface MeasureOf {
  /** Returns a number for drawing and shares. No shown figure is computed from it. */
  readonly size: (sums: Sums) => number
  /** Returns the exact text of a row's figure. */
  readonly text: (sums: Sums) => string
  /** Returns the label of a grid line. */
  readonly tick: (size: number) => string
}

const whole = new Intl.NumberFormat('en')
const short = new Intl.NumberFormat('en', { notation: 'compact' })
const minuteMs = 60_000

export function countText(count: number): string {
  return whole.format(count)
}

/** Returns text such as 0.4, 12.5 or 1,200. Never 0 if there was audio. */
export function minutesText(audioMs: number): string {
  const minutes = audioMs / minuteMs
  if (minutes > 0 && minutes < 0.1) return '< 0.1'
  return minutes.toLocaleString('en', { maximumFractionDigits: 1 })
}

export const measures: Readonly<Record<Measure, MeasureOf>> = {
  cost: { size: ({ costUsd }) => Number(costUsd), text: ({ costUsd }) => exactText(costUsd), tick: dollarTick },
  requests: { size: ({ requests }) => requests, text: ({ requests }) => countText(requests), tick: short.format },
  tokens: { size: tokensOf, text: (sums) => countText(tokensOf(sums)), tick: short.format },
  audio: {
    size: ({ audioMs }) => audioMs / minuteMs,
    text: ({ audioMs }) => `${minutesText(audioMs)} min`,
    tick: (minutes) => `${Number(minutes.toPrecision(3))} min`,
  },
}

function tokensOf({ promptTokens, completionTokens }: Sums): number {
  return promptTokens + completionTokens
}

/** Returns an amount with all its digits. */
export function exactText(usd: string): string {
  const { text, exact = text } = moneyText(usd)
  return exact
}

const smallestShownUsd = 0.000_001

function dollarTick(usd: number): string {
  return usd < smallestShownUsd ? `$${usd.toFixed(10).replace(/0+$/, '')}` : moneyText(usd.toFixed(9)).text
}

/** Returns a share of a total in percent. Never 0 if there was usage. */
export function shareText(size: number, total: number): string {
  if (size === 0 || total === 0) return ''
  const percent = (size / total) * 100
  return percent < 0.1 ? '< 0.1 %' : `${percent.toFixed(1)} %`
}

type Group = Row['groups'][number]

/** Returns a group's display name. Keys of several accounts are shown with their owner. */
export function nameOf({ id, label, owner }: Group): string {
  if (id === '') return texts.usage.others
  const name = label ?? id
  return owner === undefined || owner === null ? name : `${name} · ${owner}`
}

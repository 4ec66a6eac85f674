/** The ledger on the pages of an account: page by page, by month, and as the balance of each day. Amounts are exact decimal USD. */
import { nanoToDecimal } from '../../core/money.ts'
import { toMoney } from '../account.ts'
import { missing } from '../check.ts'
import { csvLine } from '../csv.ts'
import { type Month, month, oneOf, pageOf, readPage, toTime } from './query.ts'

const maximumRows = 100

export function parseLedgerQuery(query: URLSearchParams) {
  const period = month(query, 'month')
  const format = oneOf(query, 'format', ['json', 'csv'])
  if (format === 'csv' && period === undefined)
    throw missing('month', 'a month such as 2026-11 where the format is csv')
  return { ...readPage(query, maximumRows), month: period, format }
}

export interface LedgerLine {
  readonly id: number
  /** ISO 8601. */
  readonly created: string
  readonly kind: string
  readonly amount_usd: string
  readonly balance_after_usd: string
  /** Null but for usage, as the next two. */
  readonly request_id: string | null
  readonly model: string | null
  readonly key_name: string | null
  readonly memo: string | null
}

export interface LedgerPage {
  readonly object: 'list'
  /** The latest first. */
  readonly data: readonly LedgerLine[]
  readonly has_more: boolean
}

export interface MonthSums {
  /** `YYYY-MM`, UTC. */
  readonly month: string
  readonly opening_usd: string
  readonly added_usd: string
  /** Money that was taken away; not negative. */
  readonly spent_usd: string
  /** `opening + added - spent`; of the current month: now. */
  readonly closing_usd: string
}

export interface LedgerFacts {
  readonly id: number
  readonly kind: string
  readonly amountNanoUsd: number
  readonly balanceAfterNanoUsd: number
  readonly requestId?: string | undefined
  readonly model?: string | undefined
  readonly keyName?: string | undefined
  readonly memo?: string | undefined
  readonly createdMs: number
}

export interface PeriodFacts {
  readonly openingNanoUsd: number
  readonly addedNanoUsd: number
  readonly spentNanoUsd: number
  readonly closingNanoUsd: number
}

/** Returns a page of the ledger. `rows` may have one more than `limit`. */
export function toLedger(rows: readonly LedgerFacts[], limit: number): LedgerPage {
  const { data, has_more } = pageOf(rows, limit)
  return { object: 'list', data: data.map(toLine), has_more }
}

export function toMonthSums({ name }: Month, sums: PeriodFacts): MonthSums {
  return {
    month: name,
    opening_usd: nanoToDecimal(sums.openingNanoUsd),
    added_usd: nanoToDecimal(sums.addedNanoUsd),
    spent_usd: nanoToDecimal(sums.spentNanoUsd),
    closing_usd: nanoToDecimal(sums.closingNanoUsd),
  }
}

function toLine(row: LedgerFacts): LedgerLine {
  return {
    id: row.id,
    created: toTime(row.createdMs),
    kind: row.kind,
    amount_usd: nanoToDecimal(row.amountNanoUsd),
    balance_after_usd: nanoToDecimal(row.balanceAfterNanoUsd),
    request_id: row.requestId ?? null,
    model: row.model ?? null,
    key_name: row.keyName ?? null,
    memo: row.memo ?? null,
  }
}

const columns = [
  'created',
  'kind',
  'amount_usd',
  'balance_after_usd',
  'model',
  'key_name',
  'request_id',
  'memo',
] as const

/** Returns the lines of a month as CSV, without its head and its end. */
export function toLedgerCsv(rows: readonly LedgerFacts[]): string {
  const lines = rows.map(toLine)
  return lines.map((line) => csvLine(columns.map((column) => line[column]))).join('')
}

/** Lines above and below those of a month, the latest of which comes first. */
export function monthCsvEnds({ fromMs, toMs }: Month, sums: PeriodFacts): { head: string; foot: string } {
  const balance = (timeMs: number, kind: string, nanoUsd: number) =>
    csvLine([toTime(timeMs), kind, '', nanoToDecimal(nanoUsd), '', '', '', ''])
  return {
    head: csvLine(columns) + balance(toMs, 'closing_balance', sums.closingNanoUsd),
    foot: balance(fromMs, 'opening_balance', sums.openingNanoUsd),
  }
}

export interface BalanceDays {
  readonly object: 'list'
  /** The oldest first. */
  readonly data: readonly {
    /** UTC, `YYYY-MM-DD`. */
    readonly day: string
    /** At its end; of today: now. */
    readonly balance_usd: string
    readonly added_usd: string
  }[]
}

interface DayFacts {
  readonly day: string
  readonly balanceNanoUsd: number
  readonly addedNanoUsd: number
}

export function toBalanceDays(days: readonly DayFacts[]): BalanceDays {
  const data = days.map(({ day, balanceNanoUsd, addedNanoUsd }) => ({
    day,
    balance_usd: nanoToDecimal(balanceNanoUsd),
    added_usd: nanoToDecimal(addedNanoUsd),
  }))
  return { object: 'list', data }
}

/** Amounts are also JSON numbers, as in GET /v1/account. */
export function toRedeemed(result: { amountNanoUsd: number; balanceNanoUsd: number }) {
  return { ...toMoney('amount', result.amountNanoUsd), ...toMoney('balance', result.balanceNanoUsd) }
}

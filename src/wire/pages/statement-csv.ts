/** Ledger of an account's month as CSV. Amounts are exact decimal USD. */
import { nanoToDecimal } from '../../core/money.ts'
import { invalidValue, missing } from '../check.ts'
import { csvLine } from '../csv.ts'
import { toTime } from './time.ts'

interface Month {
  /** `YYYY-MM`, UTC. */
  readonly name: string
  /** First millisecond of the month */
  readonly fromMs: number
  /** First millisecond of the next month. */
  readonly toMs: number
}

/** Reads `month=2026-11`. Throws ApiError 400. */
export function parseMonth(query: URLSearchParams): Month {
  const example = 'a month such as 2026-11'
  const name = query.get('month') ?? ''
  if (name === '') throw missing('month', example)
  const [, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(name) ?? []
  if (year === undefined) throw invalidValue('month', example)
  // `Date.parse` is used because `Date.UTC` reads years below 100 as 19xx.
  const fromMs = Date.parse(`${name}-01T00:00:00Z`)
  const end = new Date(fromMs)
  end.setUTCMonth(Number(number))
  return { name, fromMs, toMs: end.getTime() }
}

interface StatementLine {
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

const columns = ['created', 'kind', 'amount_usd', 'balance_after_usd', 'model', 'key_name', 'request_id', 'memo']

/** Returns the CSV lines of movements, without the lines above and below them. */
export function toStatementCsv(lines: readonly StatementLine[]): string {
  return lines.map((line) => csvLine(cellsOf(line))).join('')
}

function cellsOf({ createdMs, kind, amountNanoUsd, balanceAfterNanoUsd, ...line }: StatementLine) {
  const { model = null, keyName = null, requestId = null, memo = null } = line
  const amounts = [nanoToDecimal(amountNanoUsd), nanoToDecimal(balanceAfterNanoUsd)]
  return [toTime(createdMs), kind, ...amounts, model, keyName, requestId, memo]
}

/** Returns the lines above and below a month's movements, which are listed with the latest first. */
export function statementCsvEnds(
  { fromMs, toMs }: Month,
  sums: { readonly openingNanoUsd: number; readonly closingNanoUsd: number },
): { head: string; foot: string } {
  const balance = (timeMs: number, kind: string, nanoUsd: number) =>
    csvLine([toTime(timeMs), kind, '', nanoToDecimal(nanoUsd), '', '', '', ''])
  return {
    head: csvLine(columns) + balance(toMs, 'closing_balance', sums.closingNanoUsd),
    foot: balance(fromMs, 'opening_balance', sums.openingNanoUsd),
  }
}

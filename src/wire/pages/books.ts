/** The ledger of all accounts as CSV, for operators. Amounts are exact decimal USD. */
import { nanoToDecimal } from '../../core/money.ts'
import { csvLine } from '../csv.ts'
import { toTime } from './time.ts'

interface BooksRow {
  readonly id: number
  readonly accountId: string
  readonly kind: string
  readonly amountNanoUsd: number
  readonly balanceAfterNanoUsd: number
  readonly actor: string
  readonly requestId?: string | undefined
  readonly voucherId?: string | undefined
  readonly memo?: string | undefined
  readonly createdMs: number
}

export const booksCsvHead = csvLine([
  ...['created', 'account', 'kind', 'amount_usd', 'balance_after_usd'],
  ...['actor', 'request_id', 'voucher_id', 'memo'],
])

export function toBooksCsv(rows: readonly BooksRow[]): string {
  return rows.map((row) => csvLine(cellsOf(row))).join('')
}

function cellsOf({ accountId, kind, amountNanoUsd, balanceAfterNanoUsd, createdMs, ...row }: BooksRow) {
  const { actor, requestId = null, voucherId = null, memo = null } = row
  const amounts = [nanoToDecimal(amountNanoUsd), nanoToDecimal(balanceAfterNanoUsd)]
  return [toTime(createdMs), accountId, kind, ...amounts, actor, requestId, voucherId, memo]
}

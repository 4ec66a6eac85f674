import { parseMonth, statementCsvEnds, toStatementCsv } from '../../wire/pages/statement-csv.ts'
import { csvAnswer } from '../csv-answer.ts'
import { type AccountCaller, type Performing, perform } from '../perform.ts'

/** GET ledger?month: every move of the account's money in a month (UTC) as CSV, the latest first, between its two balances. */
export async function ledgerCsv(exchange: Performing, account: AccountCaller): Promise<Response> {
  const month = parseMonth(exchange.url.searchParams)
  const { fromMs, toMs } = month
  const sums = await perform(exchange, account, 'statement-sum', { fromMs, toMs })
  return csvAnswer(exchange, {
    fileName: `ledger-${month.name}.csv`,
    ...statementCsvEnds(month, sums),
    page: (page) => perform(exchange, account, 'statement-list', { fromMs, toMs, ...page }),
    lines: toStatementCsv,
  })
}

/** Movements of money as CSV, for accounts and for operators. */
import { operations } from '../operations/operations.ts'
import { check, presentFields } from '../wire/check.ts'
import { booksCsvHead, toBooksCsv } from '../wire/pages/books.ts'
import { parseMonth, statementCsvEnds, toStatementCsv } from '../wire/pages/statement-csv.ts'
import type { Exchange } from './exchange.ts'
import { pagedAnswer, pageRows } from './paged-answer.ts'
import { type AccountCaller, type Performing, perform, type StaffCaller } from './perform.ts'

/**
 * Serves GET ledger?month: every move of the account's money in a month (UTC) as CSV, the latest first, between its
 * two balances.
 */
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

/**
 * Serves GET ledger?account&kind: movements of money as CSV, the latest first; all, or those of one account or kind.
 */
export function booksCsv(exchange: Performing, staff: StaffCaller): Promise<Response> {
  const query = exchange.url.searchParams
  const asked = presentFields({ account: query.get('account'), kind: query.get('kind') })
  const { account, kind } = check(operations['ledger-list'].input, asked)
  return csvAnswer(exchange, {
    fileName: kind === undefined ? 'ledger.csv' : `ledger-${kind}.csv`,
    head: booksCsvHead,
    page: (page) => perform(exchange, staff, 'ledger-list', { account, kind, ...page }),
    lines: toBooksCsv,
  })
}

interface CsvList<Row> {
  readonly fileName: string
  /** Lines above and below the rows. */
  readonly head: string
  readonly foot?: string
  /** Returns up to `limit` rows after the one with the id `before`, or the first ones. */
  page(page: { readonly limit: number; readonly before: string | undefined }): Promise<readonly Row[]>
  lines(rows: readonly Row[]): string
}

/** Sends a whole list as CSV. Rejects if the first page does. */
async function csvAnswer<Row extends { readonly id: number | string }>(
  exchange: Exchange,
  list: CsvList<Row>,
): Promise<Response> {
  const first = await list.page({ limit: pageRows, before: undefined })
  return pagedAnswer(exchange, csvPieces(list, first), csvHead(list.fileName))
}

async function* csvPieces<Row extends { readonly id: number | string }>(
  { head, foot = '', page, lines }: CsvList<Row>,
  first: readonly Row[],
): AsyncGenerator<string> {
  let rows = first
  yield head + lines(rows)
  while (rows.length === pageRows) {
    rows = await page({ limit: pageRows, before: String(rows.at(-1)?.id) })
    yield lines(rows)
  }
  yield foot
}

function csvHead(fileName: string): Record<string, string> {
  const disposition = `attachment; filename="${fileName}"`
  return { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': disposition }
}

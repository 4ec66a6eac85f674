import { operations } from '../../operations/operations.ts'
import { check, presentFields } from '../../wire/check.ts'
import { booksCsvHead, toBooksCsv } from '../../wire/pages/books.ts'
import { csvAnswer } from '../csv-answer.ts'
import { type OperatorCaller, type Performing, perform } from '../perform.ts'

/**
 * Serves GET ledger?account&kind: movements of money as CSV, the latest first; all, or those of one account or kind.
 */
export function booksCsv(exchange: Performing, operator: OperatorCaller): Promise<Response> {
  const query = exchange.url.searchParams
  const asked = presentFields({ account: query.get('account'), kind: query.get('kind') })
  const { account, kind } = check(operations['ledger-list'].input, asked)
  return csvAnswer(exchange, {
    fileName: kind === undefined ? 'ledger.csv' : `ledger-${kind}.csv`,
    head: booksCsvHead,
    page: (page) => perform(exchange, operator, 'ledger-list', { account, kind, ...page }),
    lines: toBooksCsv,
  })
}

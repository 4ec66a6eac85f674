/** Everything about one account as a JSON file, for its owner and for operators. */
import { exportFile } from '../operations/export-file.ts'
import type { OperationResult } from '../operations/operations.ts'
import { operations } from '../operations/operations.ts'
import { check, presentFields } from '../wire/check.ts'
import { pagedAnswer, pageRows } from './paged-answer.ts'
import { type AccountCaller, type Performing, perform, type StaffCaller } from './perform.ts'

/** Serves GET export: the data about the account that is signed in. */
export async function exportOwn(exchange: Performing, account: AccountCaller): Promise<Response> {
  const begun = await perform(exchange, account, 'accounts-export', {})
  return exportAnswer(exchange, begun, (input) => perform(exchange, account, 'accounts-export-rows', input))
}

/** Serves GET export?account: the data about any account. */
export async function exportAny(exchange: Performing, operator: StaffCaller): Promise<Response> {
  const asked = presentFields({ account: exchange.url.searchParams.get('account') })
  const { account } = check(operations['accounts-export'].input, asked)
  const begun = await perform(exchange, operator, 'accounts-export', { account })
  return exportAnswer(exchange, begun, (input) => perform(exchange, operator, 'accounts-export-rows', input))
}

function exportAnswer(
  exchange: Performing,
  begun: OperationResult<'accounts-export'>,
  read: Parameters<typeof exportFile>[1],
): Response {
  return pagedAnswer(
    exchange,
    exportFile(begun, (input) => read({ ...input, limit: pageRows })),
    {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="${begun.account}.json"`,
      'cache-control': 'no-store',
    },
  )
}

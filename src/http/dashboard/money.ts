import { parseLedgerQuery, parseUsageQuery, parseVoucherCode, toLedger, toRedeemed } from '../../wire/dashboard.ts'
import { toUsageCsv, toUsageReport } from '../../wire/usage-report.ts'
import { type AccountCaller, performFor } from '../perform.ts'
import { readJson } from '../read-json.ts'
import type { Exchange } from '../services.ts'

/** POST vouchers/redeem: adds a voucher's amount to the balance, once. */
export async function redeemVoucher(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const code = parseVoucherCode(await readJson(exchange))
  return Response.json(toRedeemed(await performFor(exchange, account, 'vouchers-redeem', { code })))
}

/** GET usage?by=day|model|key&from&to&format=json|csv: sums of what the account used. */
export async function usage(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const { format, ...query } = parseUsageQuery(exchange.url.searchParams)
  const totals = await performFor(exchange, account, 'usage-report', query)
  if (format === 'json') return Response.json(toUsageReport(query.by, totals))
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="usage-by-${query.by}.csv"`,
  }
  return new Response(toUsageCsv(query.by, totals), { headers })
}

/** GET ledger?limit&before: every move of the account's money, the latest first. */
export async function ledger(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const page = parseLedgerQuery(exchange.url.searchParams)
  return Response.json(toLedger(await performFor(exchange, account, 'ledger-list', page)))
}

import { parseLedgerQuery, parseUsageQuery, toLedger } from '../../wire/dashboard.ts'
import { toUsageCsv, toUsageReport } from '../../wire/usage-report.ts'
import type { Exchange } from '../services.ts'
import type { Member } from './guards.ts'

/** GET usage?by=day|model|key&from&to&format=json|csv: sums of what the account used. */
export function usage({ services, url }: Exchange, { accountId }: Member): Response {
  const { format, ...query } = parseUsageQuery(url.searchParams)
  const totals = services.stores.usageReport.totals({ ...query, accountId })
  if (format === 'json') return Response.json(toUsageReport(query.by, totals))
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="usage-by-${query.by}.csv"`,
  }
  return new Response(toUsageCsv(query.by, totals), { headers })
}

/** GET ledger?limit&before: every move of the account's money, the latest first. */
export function ledger({ services, url }: Exchange, { accountId }: Member): Response {
  return Response.json(toLedger(services.stores.ledger.list(accountId, parseLedgerQuery(url.searchParams))))
}

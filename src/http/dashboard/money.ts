/** What an account sees of its money: usage, ledger, balance; and vouchers that add to it. */
import * as wire from '../../wire/pages/ledger.ts'
import type { Month } from '../../wire/pages/query.ts'
import { parseUsageQuery } from '../../wire/pages/usage.ts'
import { toUsageCsv, toUsageReport } from '../../wire/usage-report.ts'
import { answerBody } from '../answer-body.ts'
import { type AccountCaller, performBody, performFor } from '../perform.ts'
import type { Exchange } from '../services.ts'

/** POST vouchers/redeem: adds a voucher's amount to the balance, once. */
export async function redeemVoucher(exchange: Exchange, account: AccountCaller): Promise<Response> {
  return Response.json(wire.toRedeemed(await performBody(exchange, account, 'vouchers-redeem')))
}

/** GET usage?by=day|model|key&from&to&limit&format=json|csv: sums of what the account used, by one or two of them. */
export async function usage(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const { format, ...query } = parseUsageQuery(exchange.url.searchParams)
  const report = await performFor(exchange, account, 'usage-report', query)
  if (format === 'json') return Response.json(toUsageReport(query.by, report))
  return new Response(toUsageCsv(query.by, report), { headers: csvHead(`usage-by-${query.by.join('-and-')}.csv`) })
}

/**
 * GET ledger?month&limit&before&format=json|csv: every move of the account's money, the latest first. Of a month (UTC) also its
 * sums; as CSV all of the month, between its two balances.
 */
export async function ledger(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const { month, format, limit, before } = wire.parseLedgerQuery(exchange.url.searchParams)
  const page = { limit: limit + 1, before }
  if (month === undefined) {
    const { fromMs, toMs } = allTime
    return Response.json(
      wire.toLedger(await performFor(exchange, account, 'statement-list', { fromMs, toMs, ...page }), limit),
    )
  }
  const { fromMs, toMs } = month
  const sums = await performFor(exchange, account, 'statement-sum', { fromMs, toMs })
  if (format === 'csv') return monthCsv(exchange, account, month, sums)
  const rows = await performFor(exchange, account, 'statement-list', { fromMs, toMs, ...page })
  return Response.json({ ...wire.toLedger(rows, limit), ...wire.toMonthSums(month, sums) })
}

const allTime = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }

const csvPageRows = 1_000

/** Page by page, as the client takes it: a month may have a million rows. */
function monthCsv(exchange: Exchange, account: AccountCaller, month: Month, sums: wire.PeriodFacts): Response {
  const { fromMs, toMs } = month
  const { head, foot } = wire.monthCsvEnds(month, sums)
  const body = answerBody(exchange, {
    async write({ send }) {
      await send([head])
      let before: string | undefined
      while (!exchange.request.signal.aborted) {
        const page = { fromMs, toMs, before, limit: csvPageRows }
        const rows = await performFor(exchange, account, 'statement-list', page)
        if (rows.length > 0) await send([wire.toLedgerCsv(rows)])
        before = rows.at(-1)?.id.toString()
        if (rows.length < csvPageRows) break
      }
      await send([foot])
    },
    end: async () => undefined,
  })
  return new Response(body, { headers: csvHead(`ledger-${month.name}.csv`) })
}

/** GET balance-days: the balance at the end of each of the last 90 days, UTC. */
export async function balanceDays(exchange: Exchange, account: AccountCaller): Promise<Response> {
  return Response.json(wire.toBalanceDays(await performFor(exchange, account, 'statement-days', {})))
}

function csvHead(fileName: string): Record<string, string> {
  const disposition = `attachment; filename="${fileName}"`
  return { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': disposition }
}

/** Account's own money: usage, ledger, balance, and vouchers. */
import * as wire from '../../wire/pages/ledger.ts'
import type { Month } from '../../wire/pages/query.ts'
import { parseUsageQuery } from '../../wire/pages/usage.ts'
import { toUsageReport } from '../../wire/usage-report.ts'
import { csvAnswer } from '../csv-answer.ts'
import { type AccountCaller, performBody, performFor } from '../perform.ts'
import type { Exchange } from '../services.ts'

/** Serves POST vouchers/redeem: adds a voucher's amount to the balance, once. */
export async function redeemVoucher(exchange: Exchange, account: AccountCaller): Promise<Response> {
  return Response.json(wire.toRedeemed(await performBody(exchange, account, 'vouchers-redeem')))
}

/**
 * Serves GET usage?by=day|model|key&measure&from&to&model&key&limit: sums of the account's usage by one or two of
 * these.
 */
export async function usage(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const query = parseUsageQuery(exchange.url.searchParams)
  return Response.json(toUsageReport(query.by, await performFor(exchange, account, 'usage-report', query)))
}

/**
 * Serves GET ledger?month&limit&before&format=json|csv: every move of the account's money, the latest first. A month
 * (UTC) also has its sums. CSV covers the whole month between its two balances.
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

function monthCsv(exchange: Exchange, account: AccountCaller, month: Month, sums: wire.PeriodFacts): Promise<Response> {
  const { fromMs, toMs } = month
  return csvAnswer(exchange, {
    fileName: `ledger-${month.name}.csv`,
    ...wire.monthCsvEnds(month, sums),
    page: (page) => performFor(exchange, account, 'statement-list', { fromMs, toMs, ...page }),
    lines: wire.toLedgerCsv,
  })
}

/** Serves GET balance-days: the balance at the end of each of the last 90 days, UTC. */
export async function balanceDays(exchange: Exchange, account: AccountCaller): Promise<Response> {
  return Response.json(wire.toBalanceDays(await performFor(exchange, account, 'statement-days', {})))
}

/** Paid requests of the signed-in account. */
import { parseRequestsQuery, toAccountRequests, toReceipt } from '../../wire/pages/requests.ts'
import { idOf } from '../path-rules.ts'
import { type AccountCaller, performFor } from '../perform.ts'
import type { Exchange } from '../services.ts'

/** Serves GET requests?limit&before&model&key&from&to&failed: the account's paid requests, the latest first. */
export async function requests(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const { limit, ...query } = parseRequestsQuery(exchange.url.searchParams)
  const rows = await performFor(exchange, account, 'usage-list', { ...query, limit: limit + 1 })
  return Response.json(toAccountRequests(rows, limit))
}

/** Serves GET requests/{id}: the receipt of one request. */
export async function receipt(exchange: Exchange, account: AccountCaller): Promise<Response> {
  return Response.json(toReceipt(await performFor(exchange, account, 'usage-receipt', { request: idOf(exchange.url) })))
}

/** Sessions of the signed-in account. */
import { toSessionList } from '../../wire/pages/sessions.ts'
import { idOf } from '../path-rules.ts'
import { type AccountCaller, performFor } from '../perform.ts'
import type { Exchange } from '../services.ts'

/** Serves GET sessions: the valid ones, the latest first. */
export async function sessions(exchange: Exchange, account: AccountCaller): Promise<Response> {
  return Response.json(toSessionList(await performFor(exchange, account, 'sessions-list', {})))
}

/** Serves DELETE sessions: all but the current one. */
export async function endOtherSessions(exchange: Exchange, account: AccountCaller): Promise<Response> {
  return end(exchange, account, {})
}

/** Serves DELETE sessions/{id}: one of the account's sessions. */
export async function endSession(exchange: Exchange, account: AccountCaller): Promise<Response> {
  return end(exchange, account, { session: idOf(exchange.url) })
}

async function end(exchange: Exchange, account: AccountCaller, which: { readonly session?: string }) {
  const { ended } = await performFor(exchange, account, 'sessions-end', which)
  return Response.json({ ended })
}

/** Where an account is signed in, on its pages. */
import { toSessionList } from '../../wire/pages/sessions.ts'
import { idOf } from '../path-rules.ts'
import { type AccountCaller, performFor } from '../perform.ts'
import type { Exchange } from '../services.ts'

/** GET sessions: the valid ones, the latest first. */
export async function sessions(exchange: Exchange, account: AccountCaller): Promise<Response> {
  return Response.json(toSessionList(await performFor(exchange, account, 'sessions-list', {})))
}

/** DELETE sessions: all but the one that asks. */
export async function endOtherSessions(exchange: Exchange, account: AccountCaller): Promise<Response> {
  return end(exchange, account, {})
}

/** DELETE sessions/{id}: one of the account's own. */
export async function endSession(exchange: Exchange, account: AccountCaller): Promise<Response> {
  return end(exchange, account, { session: idOf(exchange.url) })
}

async function end(exchange: Exchange, account: AccountCaller, which: { readonly session?: string }) {
  const { ended } = await performFor(exchange, account, 'sessions-end', which)
  return Response.json({ ended })
}

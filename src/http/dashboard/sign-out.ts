import type { Exchange } from '../services.ts'
import { sessionOf } from './guards.ts'
import { expiredSessionCookies } from './session-cookie.ts'

/** POST sign-out: ends the session, if there is one. */
export async function signOut(exchange: Exchange): Promise<Response> {
  const { commits, sessions } = exchange.services.stores
  const secret = sessionOf(exchange)
  if (secret !== undefined) await commits.run(() => sessions.end(secret))
  const response = Response.json({ signed_in: false })
  for (const cookie of expiredSessionCookies()) response.headers.append('set-cookie', cookie)
  return response
}

import type { Exchange } from '../services.ts'
import { expiredSessionCookies, readSessionCookie } from './session-cookie.ts'

/** POST sign-out: ends the session, if there is one. */
export async function signOut({ request, services }: Exchange): Promise<Response> {
  const { commits, sessions } = services.stores
  const secret = readSessionCookie(request.headers.get('cookie'))
  if (secret !== undefined) await commits.run(() => sessions.end(secret))
  const response = Response.json({ signed_in: false })
  for (const cookie of expiredSessionCookies()) response.headers.append('set-cookie', cookie)
  return response
}

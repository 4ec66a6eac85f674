import type { Exchange } from '../services.ts'
import { sessionCookie } from './session-cookie.ts'

/** Signs an account in: its session's secret goes into the cookie and nowhere else. */
export async function beginSession({ request, record, services, url }: Exchange, accountId: string): Promise<Response> {
  const { commits, sessions, audit } = services.stores
  const secret = await commits.run(() => {
    audit.append({ actor: `account:${accountId}`, action: 'session.begin', accountId, details: {} })
    return sessions.begin(accountId)
  })
  record.accountId = accountId
  const origin = request.headers.get('origin') ?? url.origin
  return Response.json({ signed_in: true }, { headers: { 'set-cookie': sessionCookie(secret, origin) } })
}

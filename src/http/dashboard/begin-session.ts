import { ApiError } from '../../core/errors.ts'
import type { Exchange } from '../services.ts'
import { sessionCookie } from './session-cookie.ts'

export interface SignedIn {
  readonly accountId: string
  /** By a mailed link rather than a password. */
  readonly isByLink: boolean
}

/**
 * Signs in whoever `decide` says, within the transaction that begins the session: its secret goes into the cookie and
 * nowhere else. `decide` throws to refuse; what it has changed until then is undone.
 */
export async function beginSession(
  { request, record, services, url }: Exchange,
  decide: () => SignedIn,
): Promise<Response> {
  const { commits, sessions, audit } = services.stores
  const { accountId, secret } = await commits.run(() => {
    const signedIn = decide()
    const actor = `account:${signedIn.accountId}`
    audit.append({
      actor,
      action: 'session.begin',
      accountId: signedIn.accountId,
      details: { isByLink: signedIn.isByLink },
    })
    return { ...signedIn, secret: sessions.begin(signedIn.accountId, signedIn) }
  })
  record.accountId = accountId
  const origin = request.headers.get('origin') ?? url.origin
  return Response.json({ signed_in: true }, { headers: { 'set-cookie': sessionCookie(secret, origin) } })
}

/** 401 with the same words whatever of the two is wrong or missing. */
export function invalidCredentials(): ApiError {
  const message = 'This address and password do not go together. Without a password, ask for a link by mail.'
  return new ApiError('authentication', message, { code: 'invalid_credentials' })
}

import { ApiError } from '../../core/errors.ts'
import { parseToken } from '../../wire/dashboard.ts'
import { readJson } from '../read-json.ts'
import type { Exchange } from '../services.ts'
import { beginSession } from './begin-session.ts'

/**
 * POST session: the secret of a mailed link for a session. Whoever has it has read the mail: the address is theirs. The
 * first time a password and sessions from before end, which may be a stranger's; keys stay, and are in the list. Tries are
 * not limited: 43 random characters cannot be guessed, and the owner must get in whatever others do.
 */
export async function useLink(exchange: Exchange): Promise<Response> {
  const { services } = exchange
  const { mailTokens, accounts, sessions, audit } = services.stores
  const token = parseToken(await readJson(exchange))
  return beginSession(exchange, () => {
    const verdict = mailTokens.consume(token, 'sign-in')
    if (verdict.kind !== 'ok') throw invalidLink()
    const { accountId } = verdict
    accounts.confirm(accountId, services.members.starterCreditNanoUsd)
    // Anybody may have signed up with this address, and its owner have opened the link in the mail about it: what they
    // chose to come back with ends when the owner first comes.
    if (!audit.hasUsedLink(accountId)) {
      accounts.forgetPassword(accountId)
      sessions.endAll(accountId)
    }
    return { accountId, isByLink: true }
  })
}

function invalidLink(): ApiError {
  const message = 'This link was used before, has expired, or is not complete. Ask for a new one.'
  return new ApiError('authentication', message, { code: 'invalid_link' })
}

import { ApiError } from '../../core/errors.ts'
import { parseToken } from '../../wire/dashboard.ts'
import type { Exchange } from '../services.ts'
import { beginSession } from './begin-session.ts'
import { readSmallJson } from './read-small-json.ts'
import { requireFewer } from './require-fewer.ts'

/** POST session: the secret of a mailed link for a session. Whoever has it has read the mail: the address is theirs. */
export async function useLink(exchange: Exchange): Promise<Response> {
  const { services, clientAddress } = exchange
  const { commits, mailTokens, accounts } = services.stores
  const token = parseToken(await readSmallJson(exchange))
  requireFewer(services.limits.guessesOfClients, clientAddress)
  const verdict = await commits.run(() => {
    const found = mailTokens.consume(token, 'sign-in')
    if (found.kind === 'ok') accounts.confirm(found.accountId, services.members.starterCreditNanoUsd)
    return found
  })
  if (verdict.kind !== 'ok') {
    const message = 'This link was used before, has expired, or is not complete. Ask for a new one.'
    throw new ApiError('authentication', message, { code: 'invalid_link' })
  }
  services.limits.guessesOfClients.giveBack(clientAddress)
  return beginSession(exchange, verdict.accountId)
}

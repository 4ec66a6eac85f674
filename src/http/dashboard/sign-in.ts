import { parseEmail } from '../../accounts/email-address.ts'
import { verifyPassword } from '../../accounts/passwords.ts'
import { ApiError } from '../../core/errors.ts'
import { parseSignIn } from '../../wire/dashboard.ts'
import type { Exchange } from '../services.ts'
import { beginSession } from './begin-session.ts'
import { readSmallJson } from './read-small-json.ts'
import { requireFewer } from './require-fewer.ts'

/** POST sign-in: by address and password. The same answer, after the same time, whatever of the two is wrong or missing. */
export async function signIn(exchange: Exchange): Promise<Response> {
  const { services, clientAddress } = exchange
  const { accounts } = services.stores
  const { email: text, password } = parseSignIn(await readSmallJson(exchange))
  const email = parseEmail(text)
  const { guesses, guessesOfClients } = services.limits
  const key = email?.key ?? text.slice(0, 100)
  requireFewer(guessesOfClients, clientAddress)
  requireFewer(guesses, key)
  const facts = email === undefined ? undefined : accounts.signInFacts(email)
  const isRight = await verifyPassword(password, facts?.passwordHash)
  if (facts === undefined || !isRight) {
    const message = 'This address and password do not go together. Without a password, ask for a link by mail.'
    throw new ApiError('authentication', message, { code: 'invalid_credentials' })
  }
  guesses.giveBack(key)
  guessesOfClients.giveBack(clientAddress)
  return beginSession(exchange, facts.accountId)
}

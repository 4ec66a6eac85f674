import { clientNetwork } from '../../accounts/client-network.ts'
import { parseEmail } from '../../accounts/email-address.ts'
import { verifyPassword } from '../../accounts/passwords.ts'
import { parseSignIn } from '../../wire/dashboard.ts'
import { readJson } from '../read-json.ts'
import type { Exchange } from '../services.ts'
import { beginSession, invalidCredentials } from './begin-session.ts'

/** POST sign-in: by address and password. The same answer, after the same time, whatever of the two is wrong or missing. */
export async function signIn(exchange: Exchange): Promise<Response> {
  const { services, clientAddress } = exchange
  const { accounts } = services.stores
  const { email: text, password } = parseSignIn(await readJson(exchange))
  const email = parseEmail(text)
  const guess = { account: email?.key ?? text.slice(0, 100), network: clientNetwork(clientAddress) }
  const wasRight = services.limits.passwordGuesses.begin(guess)
  const facts = email === undefined ? undefined : accounts.signInFacts(email)
  const isRight = await verifyPassword(password, facts?.passwordHash)
  if (facts === undefined || !isRight) throw invalidCredentials()
  const { accountId, passwordHash } = facts
  const response = await beginSession(exchange, () => {
    // Changed meanwhile: whoever changed it wants nobody in by the old one.
    if (accounts.passwordHash(accountId) !== passwordHash) throw invalidCredentials()
    return { accountId, isByLink: false }
  })
  wasRight()
  return response
}

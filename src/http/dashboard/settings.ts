import { clientNetwork } from '../../accounts/client-network.ts'
import { hashPassword, passwordProblem, verifyPassword } from '../../accounts/passwords.ts'
import { ApiError } from '../../core/errors.ts'
import { parseNewPassword } from '../../wire/dashboard.ts'
import { readJson } from '../read-json.ts'
import type { Exchange } from '../services.ts'
import { type Member, requireStillSignedIn } from './guards.ts'
import { putMail } from './put-mail.ts'

/** POST confirmation: mails the confirmation link again. */
export async function resendConfirmation({ services }: Exchange, { accountId }: Member): Promise<Response> {
  const account = services.stores.directory.find(accountId)
  if (account?.confirmedMs !== undefined) return Response.json({ message: 'The address is confirmed already.' })
  await putMail(services, accountId, 'confirm')
  const how = services.members.sendsMail ? 'is on its way' : "waits for the operator to hand it out ('inferd outbox')"
  return Response.json({ message: `The link ${how}.` }, { status: 202 })
}

/**
 * POST password: sets or changes it, and ends all other sessions and mailed links. Who has one must know it, or have come by a mailed link
 * just now: that is the way back for who has forgotten it.
 */
export async function setPassword(exchange: Exchange, member: Member): Promise<Response> {
  const { accountId, secret } = member
  const { stores, limits } = exchange.services
  const { commits, accounts, sessions, directory, mailTokens } = stores
  const { current, next } = parseNewPassword(await readJson(exchange))
  const hash = accounts.passwordHash(accountId)
  if (hash !== undefined && !sessions.hasJustUsedLink(secret)) {
    const network = clientNetwork(exchange.clientAddress)
    const wasRight = limits.passwordGuesses.begin({ account: accountId, network })
    if (current === undefined || !(await verifyPassword(current, hash))) throw wrongPassword()
    wasRight()
  }
  const problem = passwordProblem(next, directory.find(accountId)?.email ?? '')
  if (problem !== undefined) {
    throw new ApiError('invalid_request', `'new' must ${problem}.`, { code: 'weak_password', param: 'new' })
  }
  const newHash = await hashPassword(next)
  await commits.run(() => {
    requireStillSignedIn(sessions, member)
    if (accounts.passwordHash(accountId) !== hash) throw wrongPassword() // changed meanwhile
    accounts.setPasswordHash(accountId, newHash)
    sessions.endOthers(accountId, secret)
    mailTokens.spendSignInLinks(accountId)
  })
  return Response.json({ has_password: true })
}

function wrongPassword(): ApiError {
  return new ApiError('invalid_request', "'current' must be the password so far.", {
    code: 'invalid_credentials',
    param: 'current',
  })
}

import { ApiError } from '../core/errors.ts'
import type { AuditLog } from '../db/audit-log.ts'
import type { GroupCommit } from '../db/group-commit.ts'
import type { Outbox } from '../mail/outbox.ts'
import type { AccountStore } from './accounts.ts'
import { isDisposable } from './disposable-domains.ts'
import { type EmailAddress, parseNewEmail } from './email-address.ts'
import type { CreatedKey, KeyStore } from './keys.ts'
import { hashPassword, passwordProblem } from './passwords.ts'
import { type SignupLimit, signupsPerNetworkAndDay } from './signup-limit.ts'

export interface SignUpRequest {
  readonly email: string
  readonly name?: string | undefined
  /** Undefined: signs in by mailed links. */
  readonly password?: string | undefined
  readonly keyName?: string | undefined
  /** Address of the client, in canonical form. */
  readonly clientAddress: string
}

export interface SignedUp {
  readonly accountId: string
  readonly email: string
  readonly key: CreatedKey
}

export interface SignUpOptions {
  readonly accounts: AccountStore
  readonly keys: KeyStore
  readonly limit: SignupLimit
  readonly outbox: Outbox
  readonly audit: AuditLog
  readonly commits: GroupCommit
  readonly isOpen: boolean
  /** Domains of the operator's own, beside the shipped list. */
  readonly blockedDomains: readonly string[]
}

/**
 * Makes an account, a key that works at once and a confirmation mail, or nothing at all. A request that is well-formed
 * counts against the limit of the client's network, whether or not the address is taken. Throws ApiError:
 * 403 `signup_closed`, 400 `invalid_value`, `disposable_email`, `weak_password`, `email_taken`, 429 `signup_limit`.
 */
export async function signUp(options: SignUpOptions, request: SignUpRequest): Promise<SignedUp> {
  const { accounts, keys, limit, outbox, audit, commits } = options
  if (!options.isOpen) {
    throw new ApiError('permission', 'This server takes no signups. Ask its operator for an account.', {
      code: 'signup_closed',
    })
  }
  // These checks do not depend on whether the address has an account.
  const email = await requireAddress(request.email, options.blockedDomains)
  requireGoodPassword(request.password, email)
  const { keyName = 'signup', name = '', clientAddress } = request
  if (limit.isReached(clientAddress)) throw tooMany(limit)
  // From here on the answer tells whether the address has an account: a network gets few such answers a day.
  const isTaken = await commits.run(
    () => {
      if (!limit.count(clientAddress)) throw tooMany(limit)
      return accounts.hasEmail(email)
    },
    { isDurable: false },
  )
  if (isTaken) throw emailTaken()
  const passwordHash = request.password === undefined ? undefined : await hashPassword(request.password)
  return commits.run(() => {
    const accountId = accounts.create({ email, name, passwordHash })
    if (accountId === undefined) throw emailTaken()
    const key = keys.create({ accountId, name: keyName })
    audit.append({
      actor: `account:${accountId}`,
      action: 'key.create',
      accountId,
      details: { key: key.id, name: keyName },
    })
    outbox.add(accountId, 'confirm')
    return { accountId, email: email.address, key }
  })
}

async function requireAddress(text: string, blocked: readonly string[]): Promise<EmailAddress> {
  const email = parseNewEmail(text)
  if (email === undefined)
    throw refusal('invalid_value', "'email' must be a mail address such as ada@example.org.", 'email')
  if (await isDisposable(email.domain, blocked)) {
    throw refusal('disposable_email', `Mail to ${email.domain} is thrown away. Use a lasting address.`, 'email')
  }
  return email
}

function requireGoodPassword(password: string | undefined, { address }: EmailAddress): void {
  const problem = password === undefined ? undefined : passwordProblem(password, address)
  if (problem !== undefined) throw refusal('weak_password', `'password' must ${problem}.`, 'password')
}

function tooMany(limit: SignupLimit): ApiError {
  const message = `There were ${signupsPerNetworkAndDay} signups from this network today. Try again tomorrow (UTC).`
  return new ApiError('rate_limit', message, {
    code: 'signup_limit',
    retryAfterSeconds: limit.secondsToNextDay(),
  })
}

function emailTaken(): ApiError {
  return refusal('email_taken', 'This address has an account already. Sign in to it at the dashboard.', 'email')
}

function refusal(code: string, message: string, param: string): ApiError {
  return new ApiError('invalid_request', message, { code, param })
}

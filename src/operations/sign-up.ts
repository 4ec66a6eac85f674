import { Type } from '@sinclair/typebox'
import { type EmailAddress, isDisposable, parseNewEmail } from '../accounts/email-address.ts'
import { hashPassword, passwordProblem } from '../accounts/passwords.ts'
import { type SignupLimit, signupsPerNetworkAndDay } from '../accounts/signup-limit.ts'
import { lineOf, plainText } from './fields.ts'
import { makeKey } from './keys.ts'
import { operation } from './operation.ts'
import { OperationError } from './problem.ts'

const name = Type.Optional(lineOf('takes 1 to 100 characters on one line', 100))

/**
 * Makes an account, a key that works at once and a confirmation mail, or nothing at all. A well-formed request counts
 * against the limit of the client's network, whether or not the address is taken.
 */
export const signUp = operation({
  callers: ['anybody'],
  kind: 'write',
  putsMail: true,
  /** Without a password the account signs in by mailed links. Its length is a rule of passwords. */
  input: Type.Object({
    email: plainText(320),
    name,
    password: Type.Optional(Type.String({ description: 'is text' })),
    keyName: name,
  }),
  prepare: async ({ stores, rules, caller: { network } }, { email: text, password }) => {
    if (!rules.isSignupOpen) throw new OperationError({ code: 'signup_closed' })
    // These checks do not depend on whether the address has an account.
    const email = await requireAddress(text, rules.blockedEmailDomains)
    if (password !== undefined) requireGoodPassword(password, { email: email.address, field: 'password' })
    const { commits, accounts, signupLimit } = stores
    if (signupLimit.isReached(network)) throw limitReached(signupLimit)
    // From here on the result tells whether the address has an account: a network gets few such results a day.
    const isTaken = await commits.run(
      () => {
        if (!signupLimit.count(network)) throw limitReached(signupLimit)
        return accounts.hasEmail(email)
      },
      { isDurable: false },
    )
    if (isTaken) throw new OperationError({ code: 'email_taken', email: text })
    return { email, passwordHash: password === undefined ? undefined : await hashPassword(password) }
  },
  run: ({ stores }, { email: text, name = '', keyName = 'signup' }, { email, passwordHash }) => {
    const accountId = stores.accounts.create({ email, name, passwordHash })
    if (accountId === undefined) throw new OperationError({ code: 'email_taken', email: text })
    const key = makeKey(stores, { accountId, name: keyName }, `account:${accountId}`)
    stores.outbox.add(accountId, 'confirm')
    return { accountId, email: email.address, key }
  },
})

async function requireAddress(text: string, blocked: readonly string[]): Promise<EmailAddress> {
  const email = parseNewEmail(text)
  if (email === undefined) throw new OperationError({ code: 'invalid_email', email: text })
  const { domain } = email
  if (await isDisposable(domain, blocked)) throw new OperationError({ code: 'disposable_email', domain })
  return email
}

/** Throws OperationError `weak_password`, naming the field that the password came in. */
export function requireGoodPassword(
  password: string,
  { email, field }: { readonly email: string; readonly field: string },
): void {
  const rule = passwordProblem(password, email)
  if (rule !== undefined) throw new OperationError({ code: 'weak_password', field, rule })
}

function limitReached(limit: SignupLimit): OperationError {
  const retryAfterSeconds = limit.secondsToNextDay()
  return new OperationError({ code: 'signup_limit', maximum: signupsPerNetworkAndDay, retryAfterSeconds })
}

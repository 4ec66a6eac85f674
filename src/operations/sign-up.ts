import { Type } from '@sinclair/typebox'
import { type EmailAddress, isDisposable, parseNewEmail } from '../accounts/email-address.ts'
import { hashPassword, passwordProblem } from '../accounts/passwords.ts'
import type { SignupLimits } from '../accounts/signup-limit.ts'
import { lineOf, plainText } from './fields.ts'
import { makeKey } from './keys.ts'
import { type OperationServices, operation } from './operation.ts'
import { OperationError } from './problem.ts'

const name = Type.Optional(lineOf('takes 1 to 100 characters on one line', 100))

/**
 * Creates an account, a key that works at once and a confirmation mail, or nothing at all. Per network, created
 * accounts count against one limit, and valid requests that create none against another, since each reveals whether an
 * address has an account.
 */
export const signUp = operation({
  callers: ['anybody'],
  kind: 'write',
  putsMail: true,
  /** Input. Without a password the account signs in by mailed links. Password rules check its length. */
  input: Type.Object({
    email: plainText(320),
    name,
    password: Type.Optional(Type.String({ description: 'is text' })),
    keyName: name,
  }),
  prepare: async (context, { email: text, password }) => {
    const { stores, rules, caller } = context
    if (!rules.isSignupOpen) throw new OperationError({ code: 'signup_closed' })
    // These checks do not depend on whether the address has an account.
    const email = await requireAddress(text, rules.blockedEmailDomains)
    if (password !== undefined) requireGoodPassword(password, { email: email.address, field: 'password' })
    requireFewSignups(context, caller.network)
    // The result below reveals whether the address has an account, so a network gets only a few results per day.
    const isTaken = await stores.commits.run(
      () => {
        requireFewSignups(context, caller.network)
        stores.signupLimit.countTry(caller.network)
        return stores.accounts.hasEmail(email)
      },
      { isDurable: false },
    )
    if (isTaken) throw new OperationError({ code: 'email_taken', email: text })
    return { email, passwordHash: password === undefined ? undefined : await hashPassword(password) }
  },
  run: (context, { email: text, name = '', keyName = 'signup' }, { email, passwordHash }) => {
    const { stores, caller } = context
    // Other requests may have created accounts meanwhile. The try is already counted.
    requireFewSignups(context, caller.network, { tries: Number.POSITIVE_INFINITY })
    const accountId = stores.accounts.create({ email, name, passwordHash })
    if (accountId === undefined) throw new OperationError({ code: 'email_taken', email: text })
    stores.signupLimit.countAccount(caller.network)
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

/** Throws OperationError `weak_password` that names the password's field. */
export function requireGoodPassword(
  password: string,
  { email, field }: { readonly email: string; readonly field: string },
): void {
  const rule = passwordProblem(password, email)
  if (rule !== undefined) throw new OperationError({ code: 'weak_password', field, rule })
}

function requireFewSignups(
  { stores: { signupLimit }, rules: { signupLimits } }: Pick<OperationServices, 'stores' | 'rules'>,
  network: string,
  others: Partial<SignupLimits> = {},
): void {
  const of = signupLimit.reached(network, { ...signupLimits, ...others })
  if (of === undefined) return
  const retryAfterSeconds = signupLimit.secondsToNextDay()
  throw new OperationError({ code: 'signup_limit', of, maximum: signupLimits[of], retryAfterSeconds })
}

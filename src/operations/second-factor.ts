/** Second factor of sign-ins by password: codes of an authenticator app (TOTP), which staff set up for themselves. */
import { Type } from '@sinclair/typebox'
import { isStaff } from '../core/roles.ts'
import { accountReference, plainText } from './fields.ts'
import { existingAccount, findAccount, requireGivable } from './find-account.ts'
import { type OperationContext, operation } from './operation.ts'
import { ownPassword, requirePassword } from './own-password.ts'
import { OperationError } from './problem.ts'

/** Code that an authenticator app shows, with or without blanks. */
export const factorCode = plainText(20)

const action = 'account.second_factor'

/**
 * Makes a secret for the caller's authenticator app. It counts once a code confirms it within half an hour, and
 * replaces an earlier unconfirmed one. Takes the password, so that a stolen session cannot lock the owner out.
 */
export const beginSecondFactor = operation({
  callers: ['account'],
  kind: 'write',
  changeLimit: 'own',
  input: Type.Object({ current: ownPassword }),
  prepare: (context, { current }) => proveOwner(context, current),
  run: ({ stores, caller: { accountId } }) => {
    if (!isStaff(stores.accounts.roleOf(accountId))) throw new OperationError({ code: 'second_factor_not_offered' })
    if (stores.secondFactors.has(accountId)) throw new OperationError({ code: 'second_factor_exists' })
    stores.audit.append({ actor: `account:${accountId}`, action, accountId, details: { state: 'begun' } })
    return { secret: stores.secondFactors.begin(accountId) }
  },
})

/** Confirms the secret by a code. From then on sign-ins by password need one; all other sessions end. */
export const confirmSecondFactor = operation({
  callers: ['account'],
  kind: 'write',
  input: Type.Object({ code: factorCode }),
  // Counted apart from sign-ins, since it takes no password: a stolen session must not use up their guesses.
  prepare: async ({ limits, caller: { accountId } }) => limits.codeGuesses.begin(`new ${accountId}`),
  run: ({ stores, caller: { accountId, session = '' } }, { code }, wasRight) => {
    const { secondFactors, sessions, audit } = stores
    if (!secondFactors.confirm(accountId, code)) throw new OperationError({ code: 'wrong_code' })
    wasRight()
    sessions.endOthers(accountId, session)
    sessions.addSecondFactor(session)
    audit.append({ actor: `account:${accountId}`, action, accountId, details: { state: 'on' } })
  },
})

/** Removes the caller's second factor. Takes the password and a code; all other sessions end. */
export const removeSecondFactor = operation({
  callers: ['account'],
  kind: 'write',
  changeLimit: 'own',
  input: Type.Object({ current: ownPassword, code: factorCode }),
  prepare: async (context, { current }) => {
    await proveOwner(context, current)
    return context.limits.codeGuesses.begin(context.caller.accountId)
  },
  run: ({ stores, caller: { accountId, session = '' } }, { code }, wasRight) => {
    const { secondFactors, sessions, audit } = stores
    if (!secondFactors.use(accountId, code)) throw new OperationError({ code: 'wrong_code' })
    wasRight()
    secondFactors.remove(accountId)
    sessions.endOthers(accountId, session)
    sessions.forgetSecondFactor(accountId)
    audit.append({ actor: `account:${accountId}`, action, accountId, details: { state: 'off' } })
  },
})

/** Removes the second factor of another account, whose owner has lost it, and ends the account's sessions. */
export const removeSecondFactorOf = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ account: accountReference }),
  run: (context, { account: reference }) => {
    const { stores, caller } = context
    const account = findAccount(stores, reference)
    requireGivable(context, account.id, 'loses its second factor on the command line alone')
    if (!stores.secondFactors.remove(account.id)) return account
    stores.sessions.endAll(account.id)
    stores.audit.append({ actor: caller.actor, action, accountId: account.id, details: { state: 'off' } })
    return existingAccount(stores, account.id)
  },
})

/** Requires the caller's password. Throws OperationError. */
async function proveOwner(
  { stores, limits, caller: { accountId, network } }: OperationContext<'account'>,
  current: string | undefined,
): Promise<void> {
  const hash = stores.accounts.passwordHash(accountId)
  await requirePassword({ limits }, { account: accountId, network }, { current, hash })
  limits.proofs.take(accountId)
}

/**
 * Requires the code of an account that has a second factor, and returns whether it has one. `wasRight` undoes the count
 * of a right guess. Throws OperationError.
 */
export function requireCode(
  { secondFactors }: OperationContext['stores'],
  accountId: string,
  { code, wasRight }: { readonly code: string | undefined; readonly wasRight: () => void },
): boolean {
  if (!secondFactors.has(accountId)) return false
  if (code === undefined) throw new OperationError({ code: 'second_factor_needed' })
  if (!secondFactors.use(accountId, code)) throw new OperationError({ code: 'wrong_code' })
  wasRight()
  return true
}

/** Operations by which an owner confirms an address and sets the password. */
import { Type } from '@sinclair/typebox'
import type { TokenVerdict } from '../accounts/mail-tokens.ts'
import { hashPassword } from '../accounts/passwords.ts'
import { isStaff } from '../core/roles.ts'
import { plainText } from './fields.ts'
import { existingAccount } from './find-account.ts'
import { operation } from './operation.ts'
import { ownPassword, requirePassword } from './own-password.ts'
import { OperationError } from './problem.ts'
import { putMail } from './sessions.ts'
import { requireGoodPassword } from './sign-up.ts'
import type { Stores } from './stores.ts'

/** `confirmed`: now, with the starter credit. `already`: earlier, by this link or another. */
type Confirmation = 'confirmed' | 'already' | 'expired' | 'unknown'

/**
 * Returns the effect that a confirmation link would have. Opening a link changes nothing, since mail programs open
 * links by themselves.
 */
export const checkConfirmation = operation({
  callers: ['anybody'],
  kind: 'read',
  input: Type.Object({ token: Type.String() }),
  run: ({ stores, rules: { starterCreditNanoUsd } }, { token }) => {
    const outcome = outcomeOf(stores, stores.mailTokens.check(token, 'confirm'))
    return { outcome: outcome ?? ('possible' as const), starterCreditNanoUsd }
  },
})

/** Uses the link of a confirmation mail, which proves that the address is the account's. */
export const confirmAddress = operation({
  callers: ['anybody'],
  kind: 'write',
  input: Type.Object({ token: Type.String() }),
  run: ({ stores, rules: { starterCreditNanoUsd } }, { token }) => {
    const verdict = stores.mailTokens.consume(token, 'confirm')
    const outcome: Confirmation = outcomeOf(stores, verdict) ?? 'confirmed'
    if (outcome === 'confirmed' && 'accountId' in verdict)
      stores.accounts.confirm(verdict.accountId, starterCreditNanoUsd)
    return { outcome, starterCreditNanoUsd }
  },
})

/** Returns the reason why a link confirms nothing; undefined if it confirms. */
function outcomeOf(stores: Stores, verdict: TokenVerdict): Exclude<Confirmation, 'confirmed'> | undefined {
  if (verdict.kind === 'unknown') return 'unknown'
  if (existingAccount(stores, verdict.accountId).confirmedMs !== undefined) return 'already'
  // A link that ended unused counts as expired.
  return verdict.kind === 'ok' ? undefined : 'expired'
}

/** Mails the confirmation link again, unless the address is confirmed. */
export const resendConfirmation = operation({
  callers: ['account'],
  kind: 'write',
  putsMail: true,
  input: Type.Object({}),
  run: (context) => {
    const { stores, rules, caller } = context
    const isConfirmed = existingAccount(stores, caller.accountId).confirmedMs !== undefined
    if (!isConfirmed) putMail(context, caller.accountId, 'confirm')
    return { isConfirmed, sendsMail: rules.sendsMail }
  },
})

/**
 * Sets or changes the password, and ends all other sessions and mailed links. The caller must know the current
 * password, or have just signed in by a mailed link, which helps after a forgotten password. Staff must know it,
 * since otherwise any reader of their mail would get their rights.
 */
export const setPassword = operation({
  callers: ['account'],
  kind: 'write',
  changeLimit: 'own',
  input: Type.Object({ current: ownPassword, new: plainText(1000) }),
  prepare: async ({ stores, limits, caller }, { current, new: next }) => {
    const { accountId, session = '', network } = caller
    const hash = stores.accounts.passwordHash(accountId)
    const mustKnow = isStaff(stores.accounts.roleOf(accountId))
    if (mustKnow && hash === undefined) throw new OperationError({ code: 'setup_link_needed' })
    if (hash !== undefined && (mustKnow || !stores.sessions.hasJustUsedLink(session))) {
      await requirePassword({ limits }, { account: accountId, network }, { current, hash })
    }
    requireGoodPassword(next, { email: existingAccount(stores, accountId).email ?? '', field: 'new' })
    limits.proofs.take(accountId)
    return { hash, newHash: await hashPassword(next) }
  },
  run: ({ stores, caller: { accountId, session = '' } }, _, { hash, newHash }) => {
    const { accounts, sessions, mailTokens } = stores
    // Changed meanwhile.
    if (accounts.passwordHash(accountId) !== hash) throw new OperationError({ code: 'wrong_password' })
    accounts.setPasswordHash(accountId, newHash)
    sessions.endOthers(accountId, session)
    mailTokens.spendSignInLinks(accountId)
  },
})

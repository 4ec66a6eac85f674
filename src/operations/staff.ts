/** Gives people roles. Staff then choose a password to sign in with. */
import { Type } from '@sinclair/typebox'
import type { AccountRow } from '../accounts/account-row.ts'
import { hashPassword } from '../accounts/passwords.ts'
import { isStaff, type Role, type RoleSource, roles } from '../core/roles.ts'
import { oneOf } from '../core/schemas.ts'
import { accountReference, lineOf, mustBe, plainText } from './fields.ts'
import { existingAccount, findAccount, requireGivable, requireOther } from './find-account.ts'
import { operation } from './operation.ts'
import { OperationError } from './problem.ts'
import { beginSession } from './sessions.ts'
import { requireGoodPassword } from './sign-up.ts'
import type { Stores } from './stores.ts'

/**
 * Makes a link by which somebody of the staff chooses a password, once and within half an hour. Ends the account's
 * earlier links. Defaults to the operator's own account, for which pages make no link.
 */
export const makeSetupLink = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({
    account: Type.Optional(accountReference),
    url: Type.Optional(
      Type.String({
        description: 'is an address such as https://box.example, without path',
        maxLength: 300,
        pattern: '^https?://[^\\s/?#]+/?$',
      }),
    ),
  }),
  run: (context, { account: reference, url = context.caller.adminUrl }) => {
    const { stores, caller } = context
    const account =
      reference === undefined
        ? existingAccount(stores, stores.accounts.ensureOperator().id)
        : findAccount(stores, reference)
    if (!isStaff(account.role)) throw new OperationError({ code: 'not_staff', account: reference ?? account.id })
    requireGivable(context, account.id, 'gets links on the command line alone')
    if (url === undefined) throw new OperationError({ code: 'admin_is_off' })
    const { token, expiresAtMs } = stores.setupLinks.mint(account.id, caller.accountId)
    stores.audit.append({ actor: caller.actor, action: 'operator.link', accountId: account.id, details: {} })
    // In the fragment, which neither proxies nor logs see.
    return { account: account.id, link: `${url.replace(/\/$/, '')}/admin/setup#${token}`, expiresAtMs }
  },
})

/**
 * Uses a setup link: sets the account's name and password, removes its second factor, ends its other sessions and begins
 * one of staff. Without it staff who lost the second factor could not come back.
 */
export const setUp = operation({
  callers: ['anybody'],
  kind: 'write',
  input: Type.Object({
    token: plainText(200),
    // Worded as in HTTP errors: completes "must be …".
    name: lineOf('1 to 100 characters on one line', 100),
    password: plainText(1000),
  }),
  prepare: async ({ stores }, { token, password }) => {
    // Hashing is expensive, so only for callers with a valid link.
    const verdict = stores.setupLinks.check(token)
    if (verdict.kind !== 'ok') throw new OperationError({ code: 'invalid_setup_link', reason: verdict.kind })
    const { email = '' } = existingAccount(stores, verdict.accountId)
    requireGoodPassword(password, { email, field: 'password' })
    return hashPassword(password)
  },
  run: ({ stores, caller: { client } }, { token, name: text }, passwordHash) => {
    const { accounts, sessions, secondFactors, audit } = stores
    const verdict = stores.setupLinks.consume(token)
    if (verdict.kind !== 'ok') throw new OperationError({ code: 'invalid_setup_link', reason: verdict.kind })
    const { accountId } = verdict
    accounts.rename(accountId, text)
    accounts.setPasswordHash(accountId, passwordHash)
    sessions.endAll(accountId)
    const details = secondFactors.remove(accountId) ? { removedSecondFactor: true } : {}
    audit.append({ actor: `account:${accountId}`, action: 'operator.setup', accountId, details })
    return beginSession(stores, accountId, { hasRoleRights: true, client })
  },
})

/** Changes the role of an account. Nobody changes his own, and the operator's own account stays an operator's. */
export const setRole = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ account: accountReference, role: mustBe(oneOf(roles)) }),
  run: ({ stores, caller: { actor, accountId } }, { account: reference, role }) => {
    const account = findAccount(stores, reference)
    if (account.kind === 'team')
      throw new OperationError({
        code: 'invalid_input',
        field: 'account',
        rule: 'must be a person: teams have no role',
      })
    if (account.role === role && account.roleSource === 'hand') return account
    if (account.role !== role) {
      requireOther(stores, account, "stays an operator's")
      if (account.id === accountId)
        throw new OperationError({ code: 'own_account', of: 'caller', rule: 'gets its role from another operator' })
    }
    changeRole(stores, account, { role, source: 'hand', actor })
    return existingAccount(stores, account.id)
  },
})

/**
 * Gives an account a role, with an audit entry, and ends what its former rights gave: sessions, unused links and keys
 * that it handed out. A member who joins the staff also loses the password, since anybody may have chosen it before the
 * address was confirmed; a setup link sets a new one. Changes nothing where `AccountStore.setRole` refuses.
 */
export function changeRole(
  stores: Stores,
  { id, role: former }: AccountRow,
  { role, source, actor }: { readonly role: Role; readonly source: RoleSource; readonly actor: string },
): void {
  if (!stores.accounts.setRole(id, role, source)) return
  if (!isStaff(former)) stores.accounts.forgetPassword(id)
  const voided = stores.handedOut.voidAll(id)
  const details = { role, former, source, ...(voided && { voided: { ...voided } }) }
  stores.audit.append({ actor, action: 'account.role', accountId: id, details })
}

/** Gives people an operator's rights. They then choose a password to sign in with. */
import { Type } from '@sinclair/typebox'
import { hashPassword } from '../accounts/passwords.ts'
import { accountReference, lineOf, plainText, trueOrFalse } from './fields.ts'
import { existingAccount, findAccount, requireGivable, requireOther } from './find-account.ts'
import { operation } from './operation.ts'
import { OperationError } from './problem.ts'
import { beginSession } from './sessions.ts'
import { requireGoodPassword } from './sign-up.ts'

/**
 * Makes a link by which an operator chooses a password, once and within half an hour. Ends the account's earlier links.
 * Defaults to the operator's own account, for which pages make no link.
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
    if (!account.isOperator) throw new OperationError({ code: 'not_an_operator', account: reference ?? account.id })
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
 * an operator's. Without it an operator who lost the second factor could not come back.
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
    const { name } = accounts.rename(accountId, text)
    accounts.setPasswordHash(accountId, passwordHash)
    sessions.endAll(accountId)
    const details = { name, ...(secondFactors.remove(accountId) && { removedSecondFactor: true }) }
    audit.append({ actor: `account:${accountId}`, action: 'operator.setup', accountId, details })
    return beginSession(stores, accountId, { isOperator: true, client })
  },
})

/**
 * Gives an account an operator's rights, or takes them away. Ends a new operator's sessions and password, since anybody
 * may have chosen the password before the address was confirmed; a setup link sets a new one. Taking the rights away
 * also ends unused links and keys that the operator handed out.
 */
export const setOperator = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ account: accountReference, isOperator: trueOrFalse() }),
  run: ({ stores, caller: { actor } }, { account: reference, isOperator }) => {
    const account = findAccount(stores, reference)
    if (account.isOperator === isOperator) return account
    requireOther(stores, account, "stays an operator's")
    stores.accounts.setOperator(account.id, isOperator)
    if (isOperator) stores.accounts.forgetPassword(account.id)
    const voided = stores.handedOut.voidAll(account.id)
    const details = { isOperator, ...(voided && { voided: { ...voided } }) }
    stores.audit.append({ actor, action: 'account.operator', accountId: account.id, details })
    return existingAccount(stores, account.id)
  },
})

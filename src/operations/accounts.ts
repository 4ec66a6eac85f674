import { Type } from '@sinclair/typebox'
import { accountStates } from '../accounts/account-list.ts'
import { parseNewEmail } from '../accounts/email-address.ts'
import { bookReaders } from '../core/roles.ts'
import { oneOf, wholeNumber } from '../core/schemas.ts'
import { accountReference, lineOf, mustBe, page, trueOrFalse } from './fields.ts'
import { existingAccount, findAccount, findAnyAccount, requireOther } from './find-account.ts'
import { operation, readAside } from './operation.ts'
import { OperationError } from './problem.ts'

const recentRows = 10
const shownKeys = 100

/** Lists accounts with their latest activity, the newest first: all, those that match a search, or those in a state. */
export const listAccounts = operation({
  callers: ['operator'],
  roles: bookReaders,
  kind: 'read',
  input: Type.Object({
    search: Type.Optional(lineOf('takes 1 to 100 characters on one line', 100)),
    state: Type.Optional(mustBe(oneOf(accountStates))),
    ...page,
  }),
  prepare: async ({ server }, input) =>
    readAside(input.search === undefined ? undefined : server?.searchAccounts(input)),
  run: ({ stores }, input, found) => found ?? stores.accounts.list(input),
})

/** Counts accounts other than operators': all, and those made since a time. */
export const countAccounts = operation({
  callers: ['operator'],
  roles: bookReaders,
  kind: 'read',
  input: Type.Object({ sinceMs: mustBe(wholeNumber(0, Number.MAX_SAFE_INTEGER)) }),
  run: ({ stores }, { sinceMs }) => stores.accounts.count(sinceMs),
})

/**
 * Shows an account with its latest hundred keys, the oldest of them first, and its latest activity. `lastSignInMs` is
 * undefined if nobody has ever signed in.
 */
export const showAccount = operation({
  callers: ['operator'],
  roles: bookReaders,
  kind: 'read',
  input: Type.Object({ account: accountReference }),
  run: ({ stores }, { account: reference }) => {
    const account = findAnyAccount(stores, reference)
    return {
      account,
      lastSignInMs: stores.audit.lastSignInMs(account.id),
      keys: stores.keys.list({ limit: shownKeys, accountId: account.id }).reverse(),
      ledger: stores.ledger.list({ limit: recentRows, accountId: account.id }),
      usage: stores.usage.list({ limit: recentRows, accountId: account.id }),
    }
  },
})

/** Makes an account without a password, key or mail. The operator then makes and hands out what the account needs. */
export const createAccount = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({
    email: lineOf('is a mail address such as ada@example.org', 320),
    name: Type.Optional(lineOf('takes 1 to 100 characters on one line', 100)),
    isUnmetered: trueOrFalse(),
  }),
  run: ({ stores, caller: { actor } }, { email: text, name = '', isUnmetered }) => {
    const email = parseNewEmail(text)
    if (email === undefined) throw new OperationError({ code: 'invalid_email', email: text })
    const id = stores.accounts.create({ email, name, isUnmetered, actor })
    if (id === undefined) throw new OperationError({ code: 'email_taken', email: text })
    return existingAccount(stores, id)
  },
})

/** Sets whether an account is charged for its requests. */
export const setUnmetered = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ account: accountReference, isUnmetered: trueOrFalse() }),
  run: ({ stores, caller: { actor } }, { account: reference, isUnmetered }) => {
    const account = findAccount(stores, reference)
    if (account.isUnmetered === isUnmetered) return account
    requireOther(stores, account, 'stays unmetered')
    stores.accounts.setUnmetered(account.id, isUnmetered)
    stores.audit.append({ actor, action: 'account.unmetered', accountId: account.id, details: { isUnmetered } })
    return existingAccount(stores, account.id)
  },
})

/**
 * Disables an account, which is then refused everything, or enables it. Its money stays. Unused links and keys that its
 * owner handed out end.
 */
export const setDisabled = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ account: accountReference, isDisabled: trueOrFalse() }),
  run: ({ stores, caller: { actor } }, { account: reference, isDisabled }) => {
    const account = findAccount(stores, reference)
    if ((account.disabledMs !== undefined) === isDisabled) return account
    if (isDisabled) requireOther(stores, account, 'cannot be disabled')
    stores.accounts.setDisabled(account.id, isDisabled)
    const voided = isDisabled ? stores.handedOut.voidAll(account.id) : undefined
    const action = isDisabled ? 'account.disable' : 'account.enable'
    stores.audit.append({ actor, action, accountId: account.id, details: voided ? { voided: { ...voided } } : {} })
    return existingAccount(stores, account.id)
  },
})

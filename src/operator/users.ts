import { Type } from '@sinclair/typebox'
import type { AccountRow } from '../accounts/account-directory.ts'
import { parseNewEmail } from '../accounts/email-address.ts'
import type { Stores } from '../stores.ts'
import { InputError, OperationError } from './errors.ts'
import { accountReference, lineOf } from './fields.ts'
import { findAccount } from './find-account.ts'
import { operation } from './operation.ts'

const recentRows = 10

/** All accounts, the oldest first. */
export const listUsers = operation({
  kind: 'read',
  input: Type.Object({}),
  run: ({ stores }) => stores.directory.list(),
})

/** One account with its keys and what it did last. */
export const showUser = operation({
  kind: 'read',
  input: Type.Object({ account: accountReference }),
  run: ({ stores }, { account: reference }) => {
    const account = findAccount(stores, reference)
    return {
      account,
      keys: stores.keys.list(account.id),
      ledger: stores.ledger.list(account.id, { limit: recentRows }),
      usage: stores.usage.recent(account.id, recentRows),
    }
  },
})

/** Makes an account without a password, a key or a mail: the operator hands out what it takes. */
export const createUser = operation({
  kind: 'write',
  input: Type.Object({
    email: accountReference,
    name: Type.Optional(lineOf('--name takes 1 to 100 characters on one line', 100)),
    isUnmetered: Type.Boolean({ description: 'unmetered is true or false' }),
  }),
  run: ({ stores, actor }, { email: text, name = '', isUnmetered }) => {
    const email = parseNewEmail(text)
    if (email === undefined) throw new InputError(`"${text}" is no mail address such as ada@example.org`)
    // So that it stays the oldest of those that are unmetered.
    stores.accounts.ensureOperator()
    const id = stores.accounts.create({ email, name, isUnmetered, actor })
    if (id === undefined) throw new OperationError(`${text} has an account already; 'inferd users show' shows it`)
    return existing(stores, id)
  },
})

/** Whether an account's use is charged. */
export const setUnmetered = operation({
  kind: 'write',
  input: Type.Object({
    account: accountReference,
    isUnmetered: Type.Boolean({ description: 'unmetered is true or false' }),
  }),
  run: ({ stores, actor }, { account: reference, isUnmetered }) => {
    const account = findAccount(stores, reference)
    if (account.isUnmetered === isUnmetered) return account
    if (account.id === stores.accounts.ensureOperator().id) {
      throw new OperationError("this is the operator's own account, which stays unmetered")
    }
    stores.directory.setUnmetered(account.id, isUnmetered)
    stores.audit.append({ actor, action: 'account.unmetered', accountId: account.id, details: { isUnmetered } })
    return existing(stores, account.id)
  },
})

/** Refuses everything of an account, or takes that back. Its money stays. */
export const setDisabled = operation({
  kind: 'write',
  input: Type.Object({
    account: accountReference,
    isDisabled: Type.Boolean({ description: 'disabled is true or false' }),
  }),
  run: ({ stores, actor }, { account: reference, isDisabled }) => {
    const account = findAccount(stores, reference)
    if ((account.disabledMs !== undefined) === isDisabled) return account
    stores.directory.setDisabled(account.id, isDisabled)
    const action = isDisabled ? 'account.disable' : 'account.enable'
    stores.audit.append({ actor, action, accountId: account.id, details: {} })
    return existing(stores, account.id)
  },
})

function existing({ directory }: Stores, id: string): AccountRow {
  const account = directory.find(id)
  if (account === undefined) throw new Error(`account ${id} has gone within a transaction: this is a bug`)
  return account
}

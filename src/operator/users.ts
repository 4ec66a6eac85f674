import { Type } from '@sinclair/typebox'
import type { AccountRow } from '../accounts/account-directory.ts'
import type { Stores } from '../stores.ts'
import { OperationError } from './errors.ts'
import { accountReference } from './fields.ts'
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
      keys: stores.keys.list().filter(({ accountId }) => accountId === account.id),
      ledger: stores.ledger.list(account.id, { limit: recentRows }),
      usage: stores.usage.recent(account.id, recentRows),
    }
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
    return refreshed(stores, account)
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
    return refreshed(stores, account)
  },
})

function refreshed({ directory }: Stores, { id }: AccountRow): AccountRow {
  const account = directory.find(id)
  if (account === undefined) throw new Error(`account ${id} has gone within a transaction: this is a bug`)
  return account
}

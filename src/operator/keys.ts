import { Type } from '@sinclair/typebox'
import type { Stores } from '../stores.ts'
import { OperationError } from './errors.ts'
import { accountReference, expiresDays, expiryMs, lineOf } from './fields.ts'
import { findAccount } from './find-account.ts'
import { operation } from './operation.ts'

/** Makes a key, of the operator's own account unless another is named. The secret is in the answer and nowhere else. */
export const createKey = operation({
  kind: 'write',
  input: Type.Object({
    name: lineOf('--name takes 1 to 100 characters on one line', 100),
    account: Type.Optional(accountReference),
    expiresDays,
  }),
  run: ({ stores, actor, clock }, { name, account, expiresDays: days }) => {
    const accountId = accountIdOf(stores, account)
    const expiresAtMs = expiryMs(clock(), days)
    const created = stores.keys.create({ accountId, name, expiresAtMs })
    stores.audit.append({ actor, action: 'key.create', accountId, details: { key: created.id, name } })
    return { ...created, account: accountId, name, expiresAtMs: expiresAtMs ?? null }
  },
})

/** All keys, or those of one account, the oldest first. */
export const listKeys = operation({
  kind: 'read',
  input: Type.Object({ account: Type.Optional(accountReference) }),
  run: ({ stores }, { account }) => {
    const accountId = account === undefined ? undefined : findAccount(stores, account).id
    return stores.keys.list(accountId)
  },
})

/** Ends a key for good. */
export const revokeKey = operation({
  kind: 'write',
  input: Type.Object({ key: lineOf('a key is named by its id or its first characters', 100) }),
  run: ({ stores, actor }, { key }) => {
    const found = stores.keys.list().find(({ id, prefix }) => id === key || prefix === key)
    if (found === undefined) throw new OperationError(`there is no key "${key}"; 'inferd keys list' shows their ids`)
    if (found.revokedAtMs === undefined) {
      stores.keys.revoke(found.id)
      stores.audit.append({ actor, action: 'key.revoke', accountId: found.accountId, details: { key: found.id } })
    }
    return { id: found.id, account: found.accountId, prefix: found.prefix }
  },
})

function accountIdOf(stores: Stores, account: string | undefined): string {
  return account === undefined ? stores.accounts.ensureOperator().id : findAccount(stores, account).id
}

import { Type } from '@sinclair/typebox'
import type { NewKey } from '../accounts/keys.ts'
import { accountReference, expiresDays, expiryMs, lineOf, page } from './fields.ts'
import { scopeOf } from './find-account.ts'
import { actorOf, type OperationServices, operation } from './operation.ts'
import { OperationError } from './problem.ts'

/** Of one account, neither revoked nor expired. */
const maximumUsableKeys = 100

/** Makes a key of an account; the operator's is of the operator's own account unless another is named. */
export const createKey = operation({
  callers: ['operator', 'account'],
  kind: 'write',
  input: Type.Object({
    name: lineOf('takes 1 to 100 characters on one line', 100),
    account: Type.Optional(accountReference),
    expiresDays,
  }),
  run: (context, { name, account, expiresDays: days }) => {
    const { stores, clock, caller } = context
    const accountId = scopeOf(context, account) ?? stores.accounts.ensureOperator().id
    const expiresAtMs = expiryMs(clock(), days)
    const created = makeKey(stores, { accountId, name, expiresAtMs }, actorOf(caller))
    return { ...created, account: accountId, name, expiresAtMs: expiresAtMs ?? null }
  },
})

/** Makes a key and audits it. The secret is in the result and nowhere else. */
export function makeKey({ keys, audit }: OperationServices['stores'], key: NewKey, actor: string) {
  const { accountId, name } = key
  if (keys.countUsable(accountId) >= maximumUsableKeys) {
    throw new OperationError({ code: 'too_many_keys', maximum: maximumUsableKeys })
  }
  const created = keys.create(key)
  audit.append({ actor, action: 'key.create', accountId, details: { key: created.id, name } })
  return created
}

/** Keys without their secrets, the latest first. */
export const listKeys = operation({
  callers: ['operator', 'account'],
  kind: 'read',
  input: Type.Object({ account: Type.Optional(accountReference), ...page }),
  run: (context, input) => context.stores.keys.list({ ...input, accountId: scopeOf(context, input.account) }),
})

/** Ends a key for good. Another account's key is as unknown as one that never was. */
export const revokeKey = operation({
  callers: ['operator', 'account'],
  kind: 'write',
  input: Type.Object({ key: lineOf('is named by its id or its first characters', 100) }),
  run: (context, { key: name }) => {
    const { stores, caller } = context
    const key = stores.keys.find(name, scopeOf(context, undefined))
    // The first characters are for people at a terminal.
    const isNamed = key !== undefined && (caller.kind === 'operator' || key.id === name)
    if (!isNamed) throw new OperationError({ code: 'not_found', what: 'key', name })
    if (key.revokedAtMs === undefined) {
      stores.keys.revoke(key.id)
      const details = { key: key.id }
      stores.audit.append({ actor: actorOf(caller), action: 'key.revoke', accountId: key.accountId, details })
    }
    return { id: key.id, account: key.accountId, prefix: key.prefix }
  },
})

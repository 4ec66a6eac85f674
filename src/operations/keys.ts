import { Type } from '@sinclair/typebox'
import { type KeyRow, keyStates, type NewKey } from '../accounts/keys.ts'
import { dayMs } from '../core/durations.ts'
import { keptName } from '../core/printable.ts'
import { bookReaders } from '../core/roles.ts'
import { oneOf } from '../core/schemas.ts'
import { accountReference, expiresDays, expiryMs, lineOf, mustBe, page } from './fields.ts'
import { findAccount, requireGivable } from './find-account.ts'
import { actorOf, type OperationContext, type OperationServices, operation } from './operation.ts'
import { ownKey, shareOf } from './payer.ts'
import { OperationError } from './problem.ts'

/** Limit of keys of one account that are neither revoked nor expired. */
const maximumUsableKeys = 100
/** Limit of new keys of one account within 24 hours, revoked ones included. The command line has no limit. */
const maximumNewKeys = 200

const keyName = lineOf('takes 1 to 100 characters on one line', 100)

/**
 * Makes a key of the named account. Defaults to the caller's own account, on the command line the operator's. Members
 * make keys of a team for themselves, operators for a `holder`. Pages make no key of the operator's own account for
 * anybody else.
 */
export const createKey = operation({
  callers: ['operator', 'account'],
  kind: 'write',
  input: Type.Object({
    name: keyName,
    account: Type.Optional(accountReference),
    holder: Type.Optional(accountReference),
    expiresDays,
  }),
  run: (context, { name: text, account, holder, expiresDays: days }) => {
    const name = keptName(text)
    const { stores, clock, caller } = context
    const share = shareOf(context, account)
    const accountId = share.accountId ?? caller.accountId ?? stores.accounts.ensureOperator().id
    const holderId = holder === undefined ? share.holderId : holderOf(context, accountId, holder)
    if (account !== undefined) findAccount(stores, accountId) // not erased
    const isOwn = (holderId ?? accountId) === caller.accountId
    if (!isOwn) requireGivable(context, accountId, 'gets keys from its owner and on the command line alone')
    if (caller.accountId !== undefined) requireFewNewKeys(context, accountId)
    const expiresAtMs = expiryMs(clock(), days)
    const madeBy = isOwn ? undefined : caller.accountId
    const created = makeKey(stores, { accountId, holderId, name, expiresAtMs, madeBy }, actorOf(caller))
    return { ...created, account: accountId, name, expiresAtMs: expiresAtMs ?? null }
  },
})

/** Returns the member for whom an operator makes a team's key. Throws OperationError. */
function holderOf({ stores, caller }: OperationContext<'operator' | 'account'>, teamId: string, reference: string) {
  if (caller.kind === 'account')
    throw new OperationError({ code: 'invalid_input', field: 'holder', rule: 'is not a field of this operation' })
  const { id } = findAccount(stores, reference)
  if (stores.teams.membership(teamId, id) !== undefined) return id
  throw new OperationError({ code: 'not_found', what: 'member', name: reference })
}

function requireFewNewKeys({ stores, clock }: OperationContext<'operator' | 'account'>, accountId: string): void {
  const earliestMs = stores.keys.createdMsOfLatest(accountId, maximumNewKeys)
  const waitMs = earliestMs === undefined ? 0 : earliestMs + dayMs - clock()
  if (waitMs <= 0) return
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  throw new OperationError({ code: 'too_many_new_keys', maximum: maximumNewKeys, retryAfterSeconds })
}

/** Makes a key and records that in the audit log. Only the result has the secret. */
export function makeKey({ keys, audit }: OperationServices['stores'], key: NewKey, actor: string) {
  const { accountId, holderId } = key
  if (keys.hasUsable(accountId, maximumUsableKeys)) {
    throw new OperationError({ code: 'too_many_keys', maximum: maximumUsableKeys })
  }
  const created = keys.create(key)
  audit.append({
    actor,
    action: 'key.create',
    accountId,
    details: { key: created.id, ...(holderId !== undefined && { holder: holderId }) },
  })
  return created
}

/**
 * Prepares the key that records requests without a key, at a start. Makes it for the operator's account if such
 * requests are served. A revoked key stays revoked, until a start that does not serve them forgets it.
 */
export function prepareKeylessKey({ accounts, keys, audit }: OperationServices['stores'], isServed: boolean): void {
  if (!isServed) {
    keys.forgetRevokedKeyless()
    return
  }
  const { id: accountId } = accounts.ensureOperator()
  const key = keys.makeKeylessKey(accountId, 'programs of this machine without a key')
  if (key !== undefined) audit.append({ actor: 'system', action: 'key.create', accountId, details: { key } })
}

const costDays = 30

/**
 * Lists keys without their secrets, the latest first. Those of one account have the cost of their requests in the last
 * 30 days UTC.
 */
export const listKeys = operation({
  callers: ['operator', 'account'],
  roles: bookReaders,
  kind: 'read',
  input: Type.Object({
    account: Type.Optional(accountReference),
    state: Type.Optional(mustBe(oneOf(keyStates))),
    ...page,
  }),
  run: (context, input) => {
    const { stores, clock } = context
    const { accountId, holderId } = shareOf(context, input.account, { forManagers: true })
    const today = Math.floor(clock() / dayMs)
    const costs = accountId && stores.spending.costOfKeysSince(accountId, (today - costDays + 1) * dayMs)
    const keys = stores.keys.list({ ...input, accountId, holderId })
    return keys.map((key) => ({ ...key, cost30DaysNanoUsd: costs ? (costs.get(key.id) ?? 0) : undefined }))
  },
})

/** Renames one of the account's own keys, or one that it holds. */
export const renameKey = operation({
  callers: ['account'],
  kind: 'write',
  input: Type.Object({ key: lineOf('is named by its id', 100), name: keyName }),
  run: (context, { key: id, name: text }) => {
    const { stores, caller } = context
    const name = keptName(text)
    const key = renamedKey(context, id)
    if (key.name === name) return { id, name }
    stores.keys.rename(id, name)
    const details = { key: id }
    stores.audit.append({ actor: actorOf(caller), action: 'key.rename', accountId: key.accountId, details })
    return { id, name }
  },
})

/**
 * Returns the key that records an account's use of the playground, or a member's use that a team pays for. Makes it at
 * the first use, without a secret.
 */
export const ensurePlaygroundKey = operation({
  callers: ['account'],
  kind: 'write',
  input: Type.Object({ account: Type.Optional(accountReference) }),
  run: (context, { account }) => {
    const { stores, caller } = context
    const { keys, audit } = stores
    const { accountId = caller.accountId, holderId } = shareOf(context, account)
    const found = keys.playgroundKey(accountId, holderId)
    if (found !== undefined) return { key: found }
    const key = keys.createPlaygroundKey(accountId, holderId)
    audit.append({ actor: actorOf(caller), action: 'key.create', accountId, details: { key } })
    return { key }
  },
})

/** Ends a key for good. Another account's key counts as unknown. Managers end all keys of their team. */
export const revokeKey = operation({
  callers: ['operator', 'account'],
  kind: 'write',
  changeLimit: 'minute',
  input: Type.Object({ key: lineOf('is named by its id or its first characters', 100) }),
  run: (context, { key: name }) => {
    const { stores, caller } = context
    // Only operators may name a key by its first characters, as people do at a terminal.
    const key = caller.kind === 'operator' ? stores.keys.find(name) : ownKey(context, name, { forManagers: true })
    if (key === undefined) throw new OperationError({ code: 'not_found', what: 'key', name })
    if (key.isPlayground) throw new OperationError({ code: 'playground_key' })
    if (key.revokedAtMs === undefined) {
      stores.keys.revoke(key.id)
      const details = { key: key.id }
      stores.audit.append({ actor: actorOf(caller), action: 'key.revoke', accountId: key.accountId, details })
    }
    return { id: key.id, account: key.accountId, prefix: key.prefix }
  },
})

function renamedKey(context: OperationContext<'account'>, id: string): KeyRow {
  const key = ownKey(context, id)
  if (key === undefined) throw new OperationError({ code: 'not_found', what: 'key', name: id })
  if (key.isPlayground) throw new OperationError({ code: 'playground_key' })
  return key
}

/** Operations on the limits of accounts and keys. */
import { type Static, Type } from '@sinclair/typebox'
import type { LimitSource } from '../billing/limit-store.ts'
import { type Limits, limitLists, limitNumbers, parseNetwork } from '../billing/limits.ts'
import { endpointNames } from '../core/endpoint-names.ts'
import type { JsonObject } from '../core/json.ts'
import { decimalToNano, maximumNanoUsd } from '../core/money.ts'
import { oneOf, wholeNumber } from '../core/schemas.ts'
import { lineOf, mustBe } from './fields.ts'
import { findAccount } from './find-account.ts'
import { actorOf, type OperationContext, operation } from './operation.ts'
import { ownKey } from './payer.ts'
import { OperationError } from './problem.ts'
import type { Stores } from './stores.ts'

const subject = lineOf('is an account (mail address or acc_…) or a key (key_… or its first characters)', 320)
const usd = lineOf('is USD such as 20 or 0.5', 30)
const perMinute = mustBe(wholeNumber(1, 1_000_000_000))
const listOf = (description: string, maxLength: number) =>
  Type.Array(lineOf(description, maxLength), { description, maxItems: 200 })

/** Fields of an input that set limits, with the limit that each of them sets */
const limitOf = {
  dailyUsd: 'dailyNanoUsd',
  monthlyUsd: 'monthlyNanoUsd',
  requestsPerMinute: 'requestsPerMinute',
  tokensPerMinute: 'tokensPerMinute',
  parallel: 'parallel',
  models: 'models',
  endpoints: 'endpoints',
  networks: 'networks',
} as const satisfies Record<string, keyof Limits>
type LimitField = keyof typeof limitOf
/** Limits that treasurers set */
const budgets = ['dailyUsd', 'monthlyUsd'] as const satisfies readonly LimitField[]
const limitFields = Object.keys(limitOf) as LimitField[] // Object.keys forgets the key type of a constant

const given = Type.Object({
  dailyUsd: Type.Optional(usd),
  monthlyUsd: Type.Optional(usd),
  requestsPerMinute: Type.Optional(perMinute),
  tokensPerMinute: Type.Optional(perMinute),
  parallel: Type.Optional(mustBe(wholeNumber(1, 1_000_000))),
  models: Type.Optional(listOf('are ids of models', 200)),
  endpoints: Type.Optional(listOf(`are among ${endpointNames.join(', ')}`, 100)),
  networks: Type.Optional(listOf('are addresses or networks such as 10.1.0.0/16', 60)),
})

/**
 * Sets limits of an account or a key, and removes those in `remove`; others stay. Accounts limit their own keys: their
 * limits bind beside the operator's. Running requests keep the budgets that they began with.
 */
export const setLimits = operation({
  callers: ['operator', 'account'],
  roles: ['treasurer', 'operator'],
  fieldsOf: { treasurer: ['subject', ...budgets, 'remove'] },
  kind: 'write',
  input: Type.Object({
    subject,
    ...given.properties,
    remove: Type.Optional(
      Type.Array(oneOf(limitFields), { description: `names some of ${limitFields.join(', ')}`, maxItems: 8 }),
    ),
  }),
  run: (context, { subject: name, remove = [], ...fields }) => {
    const { stores, caller } = context
    const found = findSubject(context, name)
    if (caller.kind === 'account' && found.subject === caller.accountId) {
      throw new OperationError({ code: 'not_found', what: 'key', name })
    }
    const source: LimitSource = caller.kind === 'operator' ? 'operator' : 'holder'
    if (caller.kind === 'operator' && caller.role === 'treasurer') {
      requireBudgets(remove)
      if (found.account === caller.accountId)
        throw new OperationError({ code: 'own_account', of: 'caller', rule: 'gets its budgets from somebody else' })
    }
    if (caller.kind === 'account') requireManaged(context, found)
    const before = stores.limits.bySource(found.subject)[source] ?? {}
    const kept = Object.entries(before).filter(([limit]) => !remove.some((field) => limitOf[field] === limit))
    const limits: Limits = { ...Object.fromEntries(kept), ...toLimits(context, fields) }
    if (Bun.deepEquals(limits, before)) return stateOf(context, found)
    stores.limits.set(found.subject, limits, source)
    const details = { subject: found.subject, source, limits: shownFields(limits) }
    stores.audit.append({ actor: actorOf(caller), action: 'limits.set', accountId: found.account, details })
    return stateOf(context, found)
  },
})

/** Shows the limits of an account or a key, and what is left of them. Accounts see themselves without a subject. */
export const showLimits = operation({
  callers: ['operator', 'account'],
  roles: ['auditor', 'treasurer', 'operator'],
  kind: 'read',
  asksServer: true,
  input: Type.Object({ subject: Type.Optional(subject) }),
  run: (context, { subject: name }) => stateOf(context, findSubject(context, name)),
})

type Context = OperationContext<'operator' | 'account'>

interface Subject {
  readonly subject: string
  /** Account of the key, or the account itself */
  readonly account: string
}

function findSubject(context: Context, name: string | undefined): Subject {
  const { stores, caller } = context
  if (caller.kind === 'account' && (name === undefined || name === caller.accountId)) {
    return { subject: caller.accountId, account: caller.accountId }
  }
  if (name === undefined) throw new OperationError({ code: 'invalid_input', field: 'subject', rule: 'is missing' })
  if (caller.kind === 'operator' && (name.includes('@') || name.startsWith('acc_'))) {
    const { id } = findAccount(stores, name)
    return { subject: id, account: id }
  }
  const key = caller.kind === 'operator' ? stores.keys.find(name) : ownKey(context, name, { forManagers: true })
  if (key === undefined) throw new OperationError({ code: 'not_found', what: 'key', name })
  return { subject: key.id, account: key.accountId }
}

/** Throws OperationError for a team's key whose limits are its managers'. */
function requireManaged({ stores, caller }: Context, { subject, account }: Subject): void {
  if (account === caller.accountId || stores.teams.membership(account, caller.accountId ?? '')?.role === 'manager')
    return
  throw new OperationError({ code: 'not_found', what: 'key', name: subject })
}

function requireBudgets(fields: readonly LimitField[]): void {
  if (fields.every((field) => budgets.some((budget) => budget === field))) return
  throw new OperationError({
    code: 'invalid_input',
    field: 'remove',
    rule: `names ${budgets.join(' and ')} for treasurers`,
  })
}

function toLimits(context: Context, fields: Static<typeof given>): Limits {
  const { dailyUsd, monthlyUsd, models, endpoints, networks, ...numbers } = fields
  return {
    ...numbers,
    ...(dailyUsd !== undefined && { dailyNanoUsd: toBudget('dailyUsd', dailyUsd) }),
    ...(monthlyUsd !== undefined && { monthlyNanoUsd: toBudget('monthlyUsd', monthlyUsd) }),
    ...(models && { models: [...new Set(models.map((name) => toModel(context, name)))] }),
    ...(endpoints && { endpoints: endpoints.map(toEndpoint) }),
    ...(networks && { networks: networks.map(toNetwork) }),
  }
}

function toBudget(field: string, text: string): number {
  const nanoUsd = decimalToNano(text)
  if (nanoUsd !== undefined && nanoUsd >= 0 && nanoUsd <= maximumNanoUsd) return nanoUsd
  throw new OperationError({ code: 'invalid_input', field, rule: 'must be USD such as 20 or 0.5, from 0', value: text })
}

/** Returns the canonical id. Without a running server ids are taken as they are. */
function toModel({ models }: Context, name: string): string {
  if (models === undefined) return name
  const id = models.find(name)
  if (id === undefined) throw new OperationError({ code: 'not_found', what: 'model', name })
  return id
}

function toEndpoint(text: string): string {
  const name = text.replace(/^\/?(v1\/)?/, '')
  if (endpointNames.some((known) => known === name)) return name
  const rule = `must be among ${endpointNames.join(', ')}`
  throw new OperationError({ code: 'invalid_input', field: 'endpoints', rule, value: text })
}

function toNetwork(text: string): string {
  if (parseNetwork(text) !== undefined) return text
  const rule = 'must be addresses or networks such as 10.1.0.0/16'
  throw new OperationError({ code: 'invalid_input', field: 'networks', rule, value: text })
}

/** Returns the limits of a subject in all fields, and what is left of them. */
function stateOf({ stores, rates, caller }: Context, { subject, account }: Subject) {
  const bySource = stores.limits.bySource(subject)
  const limits = stores.limits.of(subject)
  const { running, requests, tokens } = rates?.state({ subject, limits }) ?? {}
  return {
    subject,
    account,
    ...allFields(limits),
    /** Limits that the caller can change. */
    own: allFields(bySource[caller.kind === 'operator' ? 'operator' : 'holder'] ?? {}),
    setBy: (Object.keys(bySource) as LimitSource[]).sort(),
    budgets: budgetsOf(stores, subject),
    running: running ?? null,
    requestsLeft: requests?.left ?? null,
    tokensLeft: tokens?.left ?? null,
  }
}

function budgetsOf({ holds }: Pick<Stores, 'holds'>, subject: string) {
  return holds.budgetsOf(subject).map(({ per, limitNanoUsd, spentNanoUsd, heldNanoUsd, leftNanoUsd, resetMs }) => {
    return { per, limitNanoUsd, spentNanoUsd, heldNanoUsd, leftNanoUsd, resetMs }
  })
}

function shownFields(limits: Limits): JsonObject {
  return JSON.parse(JSON.stringify(limits)) as JsonObject // limits hold JSON values
}

function allFields(limits: Limits) {
  const numbers = limitNumbers.map((name) => [name, limits[name] ?? null])
  const lists = limitLists.map((name) => [name, limits[name] ?? null])
  return Object.fromEntries([...numbers, ...lists]) as {
    readonly [Name in (typeof limitNumbers)[number]]: number | null
  } & { readonly [Name in (typeof limitLists)[number]]: readonly string[] | null }
}

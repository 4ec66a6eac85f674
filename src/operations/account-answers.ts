/**
 * Results of operations as accounts may see them. A table names every field that accounts get; all others stay in the
 * server. Accounts' pages reach only operations with a row.
 */
import type { AsJson } from './as-json.ts'
import type { InUsd } from './money-text.ts'
import type { OperationNameFor, OperationResult } from './operations.ts'

/** Fields of a value, or of the items of a list. */
type FieldsOf<Value> = Value extends readonly (infer Item)[]
  ? FieldsOf<Item>
  : Value extends object
    ? { readonly [Key in keyof Value]?: true | FieldsOf<Value[Key]> }
    : true

type ShownFields = true | { readonly [name: string]: ShownFields }

const used = {
  promptTokens: true,
  cachedTokens: true,
  completionTokens: true,
  reasoningTokens: true,
  characters: true,
  audioMs: true,
  images: true,
} as const

const cost = { costNanoUsd: true, chargedNanoUsd: true } as const

const usageSums = {
  requests: true,
  ...used,
  ...cost,
  estimatedRequests: true,
  estimatedCostNanoUsd: true,
} as const

const request = {
  requestId: true,
  createdMs: true,
  endpoint: true,
  model: true,
  keyId: true,
  keyName: true,
  finish: true,
  used: { ...used, searches: true },
  ...cost,
  queuedMs: true,
  loadingMs: true,
  firstOutputMs: true,
  runningMs: true,
  isEstimated: true,
} as const

const prices = {
  unit: true,
  inputNanoUsd: true,
  cachedInputNanoUsd: true,
  outputNanoUsd: true,
  priceNanoUsd: true,
  searchNanoUsd: true,
} as const

const limitFields = {
  dailyNanoUsd: true,
  monthlyNanoUsd: true,
  requestsPerMinute: true,
  tokensPerMinute: true,
  parallel: true,
  models: true,
  endpoints: true,
  networks: true,
} as const

const limitState = {
  subject: true,
  ...limitFields,
  own: limitFields,
  budgets: { per: true, limitNanoUsd: true, spentNanoUsd: true, heldNanoUsd: true, leftNanoUsd: true, resetMs: true },
  running: true,
  requestsLeft: true,
  tokensLeft: true,
} as const

export const accountAnswers = {
  'keys-list': {
    id: true,
    accountId: true,
    holderId: true,
    name: true,
    prefix: true,
    isPlayground: true,
    createdMs: true,
    expiresAtMs: true,
    revokedAtMs: true,
    lastUsedMs: true,
    cost30DaysNanoUsd: true,
  },
  'teams-list-own': {
    id: true,
    name: true,
    role: true,
    members: { accountId: true, email: true, name: true, role: true },
  },
  'keys-create': { id: true, name: true, prefix: true, key: true },
  'keys-rename': { id: true, name: true },
  'keys-revoke': { id: true },
  'limits-set': limitState,
  'limits-show': limitState,
  'usage-report': { rows: { groups: { by: true, id: true, label: true }, ...usageSums }, total: usageSums },
  'usage-list': request,
  'usage-receipt': { ...request, pricing: prices, heldNanoUsd: true, balanceAfterNanoUsd: true },
  'statement-list': {
    id: true,
    createdMs: true,
    kind: true,
    amountNanoUsd: true,
    balanceAfterNanoUsd: true,
    requestId: true,
    model: true,
    keyName: true,
    memo: true,
  },
  'statement-sum': { openingNanoUsd: true, addedNanoUsd: true, spentNanoUsd: true, closingNanoUsd: true },
  'statement-days': { day: true, balanceNanoUsd: true, addedNanoUsd: true },
  'sessions-list': {
    id: true,
    createdMs: true,
    lastUsedMs: true,
    address: true,
    userAgent: true,
    isCurrent: true,
    role: true,
  },
  'sessions-end': { ended: true },
  'accounts-show-own': {
    account: {
      id: true,
      email: true,
      name: true,
      createdMs: true,
      isUnmetered: true,
      balanceNanoUsd: true,
      heldNanoUsd: true,
    },
    teams: { id: true, name: true, role: true, balanceNanoUsd: true },
    isConfirmed: true,
    providers: true,
    hasPassword: true,
    secondFactor: true,
    runningRequests: true,
    spent7DaysNanoUsd: true,
    daysLeft: true,
  },
  'accounts-rename-own': { name: true },
  'second-factor-begin': { secret: true },
  'second-factor-confirm': true,
  'second-factor-remove': true,
  'accounts-resend-confirmation': { isConfirmed: true, sendsMail: true },
  'accounts-set-password': true,
  'models-loading': {
    id: true,
    state: true,
    loadedFraction: true,
    loadingSinceMs: true,
    waiting: true,
    loadMs: true,
  },
  'vouchers-redeem': { amountNanoUsd: true, balanceNanoUsd: true },
} as const satisfies {
  readonly [Name in OperationNameFor<'account'>]?: FieldsOf<Awaited<OperationResult<Name>>>
}

export type AccountOperation = keyof typeof accountAnswers

type Shown<Value, Fields> = Value extends readonly (infer Item)[]
  ? readonly Shown<Item, Fields>[]
  : Value extends object
    ? {
        readonly [Key in keyof Fields & keyof Value]: Fields[Key] extends true
          ? Value[Key]
          : Shown<Value[Key], Fields[Key]>
      }
    : Value

/** JSON of each operation's result as an account gets it. */
export type AccountAnswers = {
  readonly [Name in AccountOperation]: InUsd<
    AsJson<Shown<Awaited<OperationResult<Name>>, (typeof accountAnswers)[Name]>>
  >
}

/**
 * Returns the function that selects an account's view of a result. Undefined for operations that accounts' pages do not
 * offer.
 */
export function accountAnswerOf(name: string): ((result: unknown) => unknown) | undefined {
  if (!isAccountOperation(name)) return undefined
  return (result) => pick(result, accountAnswers[name])
}

function isAccountOperation(name: string): name is AccountOperation {
  return Object.hasOwn(accountAnswers, name)
}

function pick(value: unknown, fields: ShownFields): unknown {
  if (fields === true) return value
  if (Array.isArray(value)) return value.map((item) => pick(item, fields))
  if (typeof value !== 'object' || value === null) return undefined
  const given = new Map(Object.entries(value))
  return Object.fromEntries(Object.entries(fields).map(([name, inner]) => [name, pick(given.get(name), inner)]))
}

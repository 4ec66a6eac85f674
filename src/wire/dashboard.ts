/** Queries and answers of the dashboard's own API, and the bodies that are not the input of an operation as they are. */
import { Type } from '@sinclair/typebox'
import { nanoToDecimal } from '../core/money.ts'
import type { UsageGrouping } from '../core/usage.ts'
import { toMoney } from './account.ts'
import { check, invalidValue, nameLine, presentFields } from './check.ts'
import { parseGroupings } from './usage-report.ts'

const days = Type.Integer({ description: 'a whole number from 1 to 36500', minimum: 1, maximum: 36_500 })

export const NewKeyBody = Type.Object({ name: nameLine, expires_days: Type.Optional(days) })

export function parseNewKey(body: unknown) {
  const { name, expires_days: expiresDays } = check(NewKeyBody, presentFields(body))
  return { name, expiresDays }
}

export function parseUsageQuery(query: URLSearchParams) {
  return {
    by: groupings(query),
    format: oneOf(query, 'format', ['json', 'csv']),
    fromMs: time(query, 'from'),
    toMs: time(query, 'to'),
  }
}

export function parseLedgerQuery(query: URLSearchParams) {
  return { limit: wholeNumber(query, 'limit', 1_000) ?? 100, before: wholeNumber(query, 'before')?.toString() }
}

/** An account sees itself alone. */
function groupings(query: URLSearchParams): UsageGrouping[] {
  const by = parseGroupings(query.get('by') ?? 'day')
  if (by === undefined || by.includes('account')) throw invalidValue('by', 'day, model or key, or two of them')
  return by
}

/** A parameter that is not there means the first choice. */
function oneOf<const Choice extends string>(
  query: URLSearchParams,
  name: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const value = query.get(name) ?? choices[0]
  const found = choices.find((choice) => choice === value)
  if (found === undefined) throw invalidValue(name, `one of ${choices.join(', ')}`)
  return found
}

/** A day, or a moment with its zone: 2026-11-20, 2026-11-20T12:00:00Z. */
function time(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name)
  if (value === null || value === '') return undefined
  const ms = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(value)
    ? Date.parse(value)
    : Number.NaN
  if (Number.isNaN(ms)) throw invalidValue(name, 'a day such as 2026-11-20, or a time such as 2026-11-20T12:00:00Z')
  return ms
}

function wholeNumber(query: URLSearchParams, name: string, maximum = Number.MAX_SAFE_INTEGER): number | undefined {
  const value = query.get(name)
  if (value === null || value === '') return undefined
  const number = /^\d{1,16}$/.test(value) ? Number(value) : 0
  if (number < 1 || number > maximum) throw invalidValue(name, `a whole number from 1 to ${maximum}`)
  return number
}

export interface ListedKey {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly createdMs: number
  readonly expiresAtMs: number | undefined
  readonly revokedAtMs: number | undefined
  readonly lastUsedMs: number | undefined
}

/** Without secrets; times are ISO 8601 or null. */
export function toKeyList(keys: readonly ListedKey[]): object {
  const data = keys.map(({ id, name, prefix, createdMs, expiresAtMs, revokedAtMs, lastUsedMs }) => ({
    id,
    name,
    prefix,
    created: toTime(createdMs),
    expires: toTime(expiresAtMs),
    revoked: toTime(revokedAtMs),
    last_used: toTime(lastUsedMs),
  }))
  return { object: 'list', data }
}

export function toCreatedKey({ id, key, prefix }: { id: string; key: string; prefix: string }, name: string): object {
  return { id, name, prefix, key }
}

export interface LedgerLine {
  readonly id: number
  readonly kind: string
  readonly amountNanoUsd: number
  readonly balanceAfterNanoUsd: number
  readonly requestId?: string | undefined
  readonly memo?: string | undefined
  readonly createdMs: number
}

/** Amounts are exact decimal USD. */
export function toLedger(rows: readonly LedgerLine[]): object {
  const data = rows.map(({ id, kind, amountNanoUsd, balanceAfterNanoUsd, requestId, memo, createdMs }) => ({
    id,
    created: toTime(createdMs),
    kind,
    amount_usd: nanoToDecimal(amountNanoUsd),
    balance_after_usd: nanoToDecimal(balanceAfterNanoUsd),
    request_id: requestId ?? null,
    memo: memo ?? null,
  }))
  return { object: 'list', data }
}

export function toRedeemed(result: { amountNanoUsd: number; balanceNanoUsd: number }): object {
  return { ...toMoney('amount', result.amountNanoUsd), ...toMoney('balance', result.balanceNanoUsd) }
}

function toTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}

/** API keys on the pages of an account. */
import { Type } from '@sinclair/typebox'
import { nanoToDecimal } from '../../core/money.ts'
import { check, nameLine, presentFields } from '../check.ts'
import { oneOf, pageOf, readPage, toTime } from './query.ts'

const days = Type.Integer({ description: 'a whole number from 1 to 36500', minimum: 1, maximum: 36_500 })

export const NewKeyBody = Type.Object({ name: nameLine, expires_days: Type.Optional(days) })

export function parseNewKey(body: unknown) {
  const { name, expires_days: expiresDays } = check(NewKeyBody, presentFields(body))
  return { name, expiresDays }
}

const maximumRows = 100

export function parseKeysQuery(query: URLSearchParams) {
  const state = oneOf(query, 'state', ['all', 'usable', 'ended'])
  return { ...readPage(query, maximumRows), state: state === 'all' ? undefined : state }
}

/** The name of a key or of an account. */
export const NameBody = Type.Object({ name: nameLine })

export function parseName(body: unknown): { name: string } {
  return check(NameBody, presentFields(body))
}

/** Times are ISO 8601. */
export interface ListedKey {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly created: string
  readonly expires: string | null
  readonly revoked: string | null
  /** To the minute; null: never. */
  readonly last_used: string | null
  /** The key of the playground, whose secret nobody has. */
  readonly is_playground: boolean
  /** Cost of the last 30 days. */
  readonly cost_30d_usd: string
}

export interface KeyList {
  readonly object: 'list'
  /** The latest first. */
  readonly data: readonly ListedKey[]
  readonly has_more: boolean
}

/** The secret is in this answer and nowhere else. */
export interface CreatedKey {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly key: string
}

interface KeyFacts {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly isPlayground: boolean
  readonly createdMs: number
  readonly expiresAtMs: number | undefined
  readonly revokedAtMs: number | undefined
  readonly lastUsedMs: number | undefined
  /** Undefined in a list of several accounts. */
  readonly cost30DaysNanoUsd: number | undefined
}

/** Returns a page of keys. `keys` may have one more than `limit`. */
export function toKeyList(keys: readonly KeyFacts[], limit: number): KeyList {
  const page = pageOf(keys, limit)
  const data = page.data.map((key) => ({
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    created: toTime(key.createdMs),
    expires: toTime(key.expiresAtMs),
    revoked: toTime(key.revokedAtMs),
    last_used: toTime(key.lastUsedMs),
    is_playground: key.isPlayground,
    cost_30d_usd: nanoToDecimal(key.cost30DaysNanoUsd ?? 0),
  }))
  return { object: 'list', data, has_more: page.has_more }
}

export function toCreatedKey({ id, name, key, prefix }: CreatedKey): CreatedKey {
  return { id, name, prefix, key }
}

/** An account's API keys on its pages. */
import { parseKeysQuery, parseName, parseNewKey, toCreatedKey, toKeyList } from '../../wire/pages/keys.ts'
import { idOf } from '../path-rules.ts'
import { type AccountCaller, performFor } from '../perform.ts'
import { readJson } from '../read-json.ts'
import type { Exchange } from '../services.ts'

/**
 * Serves GET keys?state&limit&before: the account's keys without their secrets, the latest first; all, or the usable or
 * ended ones.
 */
export async function listKeys(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const { limit, ...query } = parseKeysQuery(exchange.url.searchParams)
  const keys = await performFor(exchange, account, 'keys-list', { ...query, limit: limit + 1 })
  return Response.json(toKeyList(keys, limit))
}

/** Serves POST keys: creates a key, whose secret is in this answer and nowhere else. */
export async function createKey(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const key = await performFor(exchange, account, 'keys-create', parseNewKey(await readJson(exchange)))
  return Response.json(toCreatedKey(key), { status: 201 })
}

/** Serves PATCH keys/{id}: renames one of the account's keys. */
export async function renameKey(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const { name } = parseName(await readJson(exchange))
  return Response.json(await performFor(exchange, account, 'keys-rename', { key: idOf(exchange.url), name }))
}

/** Serves DELETE keys/{id}: ends one of the account's keys. */
export async function revokeKey(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const id = idOf(exchange.url)
  await performFor(exchange, account, 'keys-revoke', { key: id })
  return Response.json({ id, revoked: true })
}

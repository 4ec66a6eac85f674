/** An account's API keys on its pages. */
import { parseName, parseNewKey, toCreatedKey, toKeyList } from '../../wire/pages/keys.ts'
import { idOf } from '../path-rules.ts'
import { type AccountCaller, performFor } from '../perform.ts'
import { readJson } from '../read-json.ts'
import type { Exchange } from '../services.ts'

/** An account has at most a hundred usable keys; the list shows the ended ones too. */
const maximumListed = 100_000

/** GET keys: the account's keys, without their secrets, the oldest first. */
export async function listKeys(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const keys = await performFor(exchange, account, 'keys-list', { limit: maximumListed })
  return Response.json(toKeyList(keys.reverse()))
}

/** POST keys: makes one, whose secret is in this answer and nowhere else. */
export async function createKey(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const key = await performFor(exchange, account, 'keys-create', parseNewKey(await readJson(exchange)))
  return Response.json(toCreatedKey(key), { status: 201 })
}

/** PATCH keys/{id}: gives one of the account's own keys another name. */
export async function renameKey(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const { name } = parseName(await readJson(exchange))
  return Response.json(await performFor(exchange, account, 'keys-rename', { key: idOf(exchange.url), name }))
}

/** DELETE keys/{id}: ends one of the account's own keys. */
export async function revokeKey(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const id = idOf(exchange.url)
  await performFor(exchange, account, 'keys-revoke', { key: id })
  return Response.json({ id, revoked: true })
}

import { parseNewKey, toCreatedKey, toKeyList } from '../../wire/dashboard.ts'
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
  return Response.json(toCreatedKey(key, key.name), { status: 201 })
}

/** DELETE keys/{id}: ends one of the account's own keys. */
export async function revokeKey(exchange: Exchange, account: AccountCaller): Promise<Response> {
  const id = exchange.url.pathname.replace(/\/$/, '').split('/').at(-1) ?? ''
  await performFor(exchange, account, 'keys-revoke', { key: id.slice(0, 100) })
  return Response.json({ id, revoked: true })
}

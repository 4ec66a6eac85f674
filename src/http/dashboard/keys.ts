import { ApiError } from '../../core/errors.ts'
import { parseNewKey, toCreatedKey, toKeyList } from '../../wire/dashboard.ts'
import { readJson } from '../read-json.ts'
import type { Exchange } from '../services.ts'
import { type Member, requireStillSignedIn } from './guards.ts'

/** GET keys: the account's keys, without their secrets. */
export function listKeys({ services }: Exchange, { accountId }: Member): Response {
  return Response.json(toKeyList(services.stores.keys.list(accountId)))
}

/** POST keys: makes one, whose secret is in this answer and nowhere else. */
export async function createKey(exchange: Exchange, member: Member): Promise<Response> {
  const { accountId } = member
  const { commits, keys, audit, sessions } = exchange.services.stores
  const { name, expiresDays } = parseNewKey(await readJson(exchange))
  const expiresAtMs =
    expiresDays === undefined ? undefined : exchange.services.clock() + expiresDays * 24 * 60 * 60 * 1000
  const key = await commits.run(() => {
    requireStillSignedIn(sessions, member)
    const created = keys.create({ accountId, name, expiresAtMs })
    audit.append({ actor: `account:${accountId}`, action: 'key.create', accountId, details: { key: created.id, name } })
    return created
  })
  return Response.json(toCreatedKey(key, name), { status: 201 })
}

/** DELETE keys/{id}: ends one of the account's own keys. Another account's is as unknown as one that never was. */
export async function revokeKey({ services, url }: Exchange, member: Member): Promise<Response> {
  const { accountId } = member
  const { commits, keys, audit, sessions } = services.stores
  const id = url.pathname.replace(/\/$/, '').split('/').at(-1) ?? ''
  const isRevoked = await commits.run(() => {
    requireStillSignedIn(sessions, member)
    if (!keys.revokeOf(accountId, id)) return false
    audit.append({ actor: `account:${accountId}`, action: 'key.revoke', accountId, details: { key: id } })
    return true
  })
  if (!isRevoked) throw new ApiError('not_found', 'This account has no such key.', { code: 'key_not_found' })
  return Response.json({ id, revoked: true })
}

import type { Database, Statement } from 'bun:sqlite'
import { timingSafeEqual } from 'node:crypto'
import type { NewId } from '../core/ids.ts'
import { latestRows, type Page } from '../db/latest-rows.ts'
import { secretHash } from './secret-hash.ts'

const secretPrefix = 'sk-inferd-'
const secretLength = 40
/** Characters of the secret that are stored in clear, `sk-inferd-` included: 8 of 40 random ones. */
const storedPrefixLength = secretPrefix.length + 8
/** `last_used` is at most this stale: a durable write for every request would cost more than the request's check. */
const lastUsedResolutionMs = 60_000

export interface KeyStoreOptions {
  readonly database: Database
  readonly newId: NewId
  /** Milliseconds UTC. */
  readonly clock: () => number
}

export interface NewKey {
  readonly accountId: string
  readonly name: string
  readonly expiresAtMs?: number | undefined
}

export interface CreatedKey {
  readonly id: string
  /** The secret: stored nowhere, shown once. */
  readonly key: string
  readonly prefix: string
}

export interface KeyRow {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly prefix: string
  readonly createdMs: number
  readonly expiresAtMs: number | undefined
  readonly revokedAtMs: number | undefined
  /** To the minute. */
  readonly lastUsedMs: number | undefined
}

export type KeyVerdict =
  | { readonly kind: 'valid'; readonly keyId: string; readonly accountId: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'revoked' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'account-disabled' }

interface StoredKey {
  id: string
  account_id: string
  name: string
  prefix: string
  hash: Uint8Array
  created: number
  expires: number | null
  revoked: number | null
  last_used: number | null
}

interface FoundKey extends StoredKey {
  disabled: number | null
}

/** API keys. Every check reads the database, so keys made or revoked by another process count at once. */
export class KeyStore {
  readonly #options: KeyStoreOptions
  readonly #find: Statement<FoundKey, [string]>
  #noteUseAgainMs = 0
  readonly #touch: Statement<unknown, [{ now: number; id: string }]>

  constructor(options: KeyStoreOptions) {
    this.#options = options
    this.#find = options.database.prepare(
      `SELECT api_keys.*, accounts.disabled FROM api_keys JOIN accounts ON accounts.id = api_keys.account_id
       WHERE prefix = ?`,
    )
    this.#touch = options.database.prepare('UPDATE api_keys SET last_used = :now WHERE id = :id')
  }

  /** Makes a key. Throws when the account does not exist. */
  create({ accountId, name, expiresAtMs }: NewKey): CreatedKey {
    const { database, newId, clock } = this.#options
    const id = newId('key_')
    const key = newId(secretPrefix, secretLength)
    const prefix = key.slice(0, storedPrefixLength)
    database
      .query(
        `INSERT INTO api_keys (id, account_id, name, prefix, hash, created, expires)
         VALUES (:id, :accountId, :name, :prefix, :hash, :created, :expires)`,
      )
      .run({ id, accountId, name, prefix, hash: secretHash(key), created: clock(), expires: expiresAtMs ?? null })
    return { id, key, prefix }
  }

  /** Keys, or those of one account, the latest first, revoked ones included. */
  list({ accountId, ...page }: Page & { readonly accountId?: string | undefined } = {}): KeyRow[] {
    const where = { account_id: accountId }
    const list = { table: 'api_keys', select: 'SELECT * FROM api_keys', order: 'created', where } as const
    return latestRows<StoredKey>(this.#options.database, list, page).map(toRow)
  }

  /** The key with this id or prefix, of one account if it is given. */
  find(idOrPrefix: string, accountId?: string): KeyRow | undefined {
    const row = this.#options.database
      .query<StoredKey, [{ key: string; accountId: string | null }]>(
        `SELECT * FROM api_keys WHERE (id = :key OR prefix = :key) AND account_id = coalesce(:accountId, account_id)`,
      )
      .get({ key: idOrPrefix, accountId: accountId ?? null })
    return row === null ? undefined : toRow(row)
  }

  /** Ends a key for good; false when there is no such key. */
  revoke(id: string): boolean {
    const { database, clock } = this.#options
    const statement = database.query('UPDATE api_keys SET revoked = coalesce(revoked, :now) WHERE id = :id')
    return statement.run({ now: clock(), id }).changes > 0
  }

  /** How many keys, or keys of one account, are neither revoked nor expired. */
  countUsable(accountId?: string): number {
    return (
      this.#options.database
        .query<{ count: number }, [{ now: number; accountId: string | null }]>(
          `SELECT count(*) AS count FROM api_keys
           WHERE revoked IS NULL AND (expires IS NULL OR expires > :now)
             AND (:accountId IS NULL OR account_id = :accountId)`,
        )
        .get({ now: this.#options.clock(), accountId: accountId ?? null })?.count ?? 0
    )
  }

  /** What a secret is worth now. Never throws on any text. */
  verify(secret: string): KeyVerdict {
    if (secret.length !== secretPrefix.length + secretLength) return { kind: 'unknown' }
    const row = this.#find.get(secret.slice(0, storedPrefixLength))
    // Whether a prefix exists may show in the timing: it is no secret. The rest is compared in constant time.
    if (row === null || !timingSafeEqual(row.hash, secretHash(secret))) return { kind: 'unknown' }
    if (row.revoked !== null) return { kind: 'revoked' }
    const now = this.#options.clock()
    if (row.expires !== null && row.expires <= now) return { kind: 'expired' }
    if (row.disabled !== null) return { kind: 'account-disabled' }
    if (now - (row.last_used ?? 0) >= lastUsedResolutionMs) this.#noteUse(row.id, now)
    return { kind: 'valid', keyId: row.id, accountId: row.account_id }
  }

  #noteUse(id: string, now: number): void {
    if (now < this.#noteUseAgainMs) return
    try {
      this.#touch.run({ now, id })
    } catch {
      // A full disk or a busy database must lock nobody out, nor make every request wait: try again in a while.
      this.#noteUseAgainMs = now + lastUsedResolutionMs
    }
  }
}

function toRow(row: StoredKey): KeyRow {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    prefix: row.prefix,
    createdMs: row.created,
    expiresAtMs: row.expires ?? undefined,
    revokedAtMs: row.revoked ?? undefined,
    lastUsedMs: row.last_used ?? undefined,
  }
}

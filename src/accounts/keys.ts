import type { Database, Statement } from 'bun:sqlite'
import { createHash, timingSafeEqual } from 'node:crypto'
import type { NewId } from '../core/ids.ts'

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

/** API keys. Every check reads the database, so keys made or revoked by another process count at once. */
export class KeyStore {
  readonly #options: KeyStoreOptions
  readonly #find: Statement<StoredKey, [string]>
  #noteUseAgainMs = 0
  readonly #touch: Statement<unknown, [{ now: number; id: string }]>

  constructor(options: KeyStoreOptions) {
    this.#options = options
    this.#find = options.database.prepare('SELECT * FROM api_keys WHERE prefix = ?')
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
      .run({ id, accountId, name, prefix, hash: hashOf(key), created: clock(), expires: expiresAtMs ?? null })
    return { id, key, prefix }
  }

  /** All keys, oldest first, revoked ones included. */
  list(): KeyRow[] {
    return this.#options.database
      .query<StoredKey, []>('SELECT * FROM api_keys ORDER BY created, rowid')
      .all()
      .map((row) => ({
        id: row.id,
        accountId: row.account_id,
        name: row.name,
        prefix: row.prefix,
        createdMs: row.created,
        expiresAtMs: row.expires ?? undefined,
        revokedAtMs: row.revoked ?? undefined,
        lastUsedMs: row.last_used ?? undefined,
      }))
  }

  /** Ends a key for good; true also when it had ended before, false when there is no such key. */
  revoke(idOrPrefix: string): boolean {
    const { database, clock } = this.#options
    return (
      database
        .query('UPDATE api_keys SET revoked = coalesce(revoked, :now) WHERE id = :key OR prefix = :key')
        .run({ now: clock(), key: idOrPrefix }).changes > 0
    )
  }

  /** How many keys are neither revoked nor expired. */
  countUsable(): number {
    return (
      this.#options.database
        .query<{ count: number }, [number]>(
          'SELECT count(*) AS count FROM api_keys WHERE revoked IS NULL AND (expires IS NULL OR expires > ?)',
        )
        .get(this.#options.clock())?.count ?? 0
    )
  }

  /** What a secret is worth now. Never throws on any text. */
  verify(secret: string): KeyVerdict {
    if (secret.length !== secretPrefix.length + secretLength) return { kind: 'unknown' }
    const row = this.#find.get(secret.slice(0, storedPrefixLength))
    // Whether a prefix exists may show in the timing: it is no secret. The rest is compared in constant time.
    if (row === null || !timingSafeEqual(row.hash, hashOf(secret))) return { kind: 'unknown' }
    if (row.revoked !== null) return { kind: 'revoked' }
    const now = this.#options.clock()
    if (row.expires !== null && row.expires <= now) return { kind: 'expired' }
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

function hashOf(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest()
}

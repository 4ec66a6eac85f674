import type { Statement } from 'bun:sqlite'
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { secretHash } from '../core/ids.ts'
import { keptName } from '../core/printable.ts'
import { type AccountPage, findRow, latestRows, Store, type StoreOptions } from '../db/rows.ts'

const secretPrefix = 'sk-inferd-'
const secretLength = 40
/** Length of the part of a secret that is stored in clear: `sk-inferd-` and 8 of the 40 random characters. */
const storedPrefixLength = secretPrefix.length + 8
/** Accuracy of `last_used`: a durable write for each request would cost more than checking the key. */
const lastUsedResolutionMs = 60_000

export interface NewKey {
  readonly accountId: string
  /** Member who uses a team's key. Undefined for the account itself. */
  readonly holderId?: string | undefined
  readonly name: string
  readonly expiresAtMs?: number | undefined
  /** Operator who makes the key on a page for another account. */
  readonly madeBy?: string | undefined
}

export interface CreatedKey {
  readonly id: string
  /** Secret, which is shown once and never stored. */
  readonly key: string
  readonly prefix: string
}

/** `ended`: revoked or expired. */
export const keyStates = ['usable', 'ended'] as const
type KeyState = (typeof keyStates)[number]

interface KeyPage extends AccountPage {
  readonly holderId?: string | undefined
  readonly state?: KeyState | undefined
}

export interface KeyRow {
  readonly id: string
  readonly accountId: string
  /** Member who uses a team's key. Undefined for the account itself. */
  readonly holderId: string | undefined
  readonly name: string
  readonly prefix: string
  /** True for the key that records the account's playground use. Nobody has its secret. */
  readonly isPlayground: boolean
  readonly createdMs: number
  readonly expiresAtMs: number | undefined
  readonly revokedAtMs: number | undefined
  /** Accurate to the minute. */
  readonly lastUsedMs: number | undefined
}

export type KeyVerdict =
  | {
      readonly kind: 'valid'
      readonly keyId: string
      readonly accountId: string
      /** Member who uses a team's key */
      readonly holderId?: string | undefined
    }
  | { readonly kind: 'unknown' | 'revoked' | 'expired' | 'account-disabled' | 'identity-paused' }

type StoredKey = Omit<KeyRow, 'isPlayground'> & { readonly isPlayground: number }

const source = {
  table: 'api_keys',
  columns: `id, account_id AS accountId, holder_id AS holderId, name, prefix, is_playground AS isPlayground, created AS createdMs,
    expires AS expiresAtMs, revoked AS revokedAtMs, last_used AS lastUsedMs`,
  order: 'created',
} as const

const conditions: Readonly<Record<KeyState, string>> = {
  usable: 'api_keys.revoked IS NULL AND (api_keys.expires IS NULL OR api_keys.expires > :now)',
  ended: '(api_keys.revoked IS NOT NULL OR api_keys.expires <= :now)',
}

const withSecret = 'is_playground = 0 AND is_keyless = 0'

/** Columns that a secret is checked against. */
interface FoundKey {
  id: string
  account_id: string
  holder_id: string | null
  hash: Uint8Array
  expires: number | null
  revoked: number | null
  last_used: number | null
  disabled: number | null
  admitted_until: number | null
}

// A subquery, since joining the two tables takes five times as long.
const foundColumns = `id, account_id, holder_id, hash, expires, revoked, last_used,
  coalesce((SELECT disabled FROM accounts WHERE accounts.id = account_id),
    (SELECT disabled FROM accounts WHERE accounts.id = holder_id)) AS disabled,
  (SELECT admitted_until FROM accounts WHERE accounts.id = coalesce(holder_id, account_id)) AS admitted_until`

/** API keys. Every check reads the database, so keys made or revoked by another process count at once. */
export class KeyStore extends Store {
  readonly #find: Statement<FoundKey, [string]>
  #noteUseAgainMs = 0
  readonly #touch: Statement<unknown, [{ now: number; id: string }]>

  constructor(options: StoreOptions) {
    super(options)
    this.#find = options.database.prepare(`SELECT ${foundColumns} FROM api_keys WHERE prefix = ?`)
    this.#touch = options.database.prepare('UPDATE api_keys SET last_used = :now WHERE id = :id')
  }

  /** Makes a key. Throws when the account does not exist. */
  create({ accountId, holderId, name, expiresAtMs, madeBy }: NewKey): CreatedKey {
    const id = this.newId('key_')
    const key = this.newId(secretPrefix, secretLength)
    const prefix = key.slice(0, storedPrefixLength)
    this.write(
      `INSERT INTO api_keys (id, account_id, holder_id, name, prefix, hash, created, expires, made_by)
       VALUES (:id, :accountId, :holderId, :name, :prefix, :hash, :created, :expiresAtMs, :madeBy)`,
      {
        ...{ id, accountId, holderId },
        name: keptName(name),
        prefix,
        hash: secretHash(key),
        created: this.clock(),
        expiresAtMs,
        madeBy,
      },
    )
    return { id, key, prefix }
  }

  /** Lists keys, all or those of an account, of a holder or in a state, the latest first. */
  list({ accountId, holderId, state, ...page }: KeyPage = {}): KeyRow[] {
    const inState = state === undefined ? {} : { conditions: [conditions[state]], values: { now: this.clock() } }
    const selection = { filter: { account_id: accountId, holder_id: holderId }, ...inState }
    return latestRows<StoredKey>(this.database, source, { ...page, ...selection }).map(toKey)
  }

  /** Returns the creation time of an account's `count`-th latest key; undefined if it has fewer. */
  createdMsOfLatest(accountId: string, count: number): number | undefined {
    const sql = `SELECT created FROM api_keys WHERE account_id = :accountId
      ORDER BY created DESC, rowid DESC LIMIT 1 OFFSET :count - 1`
    return this.first<{ created: number }>(sql, { accountId, count })?.created
  }

  /** Returns the key with this id or prefix, of one account if given. */
  find(idOrPrefix: string, accountId?: string): KeyRow | undefined {
    const by = (column: 'id' | 'prefix') =>
      findRow<StoredKey>(this.database, source, { account_id: accountId, [column]: idOrPrefix })
    const row = by('id') ?? by('prefix')
    return row && toKey(row)
  }

  rename(id: string, name: string): void {
    this.write('UPDATE api_keys SET name = :name WHERE id = :id', { id, name: keptName(name) })
  }

  /**
   * Returns the id of the key under which an account's playground use is recorded, or a member's use that a team pays
   * for; undefined before the first use.
   */
  playgroundKey(accountId: string, holderId?: string): string | undefined {
    const sql = `SELECT id, last_used AS lastUsedMs FROM api_keys
      WHERE account_id = :accountId AND holder_id IS :holderId AND is_playground = 1 AND revoked IS NULL`
    const row = this.first<{ id: string; lastUsedMs: number | null }>(sql, { accountId, holderId })
    if (row !== undefined) this.#noteUse(row.id, row.lastUsedMs)
    return row?.id
  }

  /** Makes the key of an account's playground, at most one in force per account and holder, and returns its id. */
  createPlaygroundKey(accountId: string, holderId?: string): string {
    const id = this.newId('key_')
    this.write(
      `INSERT INTO api_keys (id, account_id, holder_id, name, prefix, hash, created, last_used, is_playground)
       VALUES (:id, :accountId, :holderId, 'playground', :prefix, :hash, :now, :now, 1)`,
      // No secret has this prefix or this hash.
      { id, accountId, holderId, prefix: this.newId('playground-', 8), hash: randomBytes(32), now: this.clock() },
    )
    return id
  }

  /** Makes the key that records requests without a key, and returns its id; undefined if there is one already. */
  makeKeylessKey(accountId: string, name: string): string | undefined {
    const id = this.newId('key_')
    const made = this.write(
      `INSERT INTO api_keys (id, account_id, name, prefix, hash, created, is_keyless)
       SELECT :id, :accountId, :name, :prefix, :hash, :now, 1 WHERE NOT EXISTS (SELECT 1 FROM api_keys WHERE is_keyless = 1)`,
      { id, accountId, name, prefix: this.newId('keyless-', 8), hash: randomBytes(32), now: this.clock() },
    )
    return made > 0 ? id : undefined
  }

  /**
   * Returns the account of the key that records requests without a key, and whether this key is valid. Undefined if
   * there is none.
   */
  keyless(): KeyVerdict | undefined {
    const row = this.first<FoundKey>(`SELECT ${foundColumns} FROM api_keys WHERE is_keyless = 1`, {})
    return row && this.#verdict(row)
  }

  /** Detaches a revoked key for requests without a key, so that a new one can be made. */
  forgetRevokedKeyless(): void {
    this.write('UPDATE api_keys SET is_keyless = 0 WHERE is_keyless = 1 AND revoked IS NOT NULL', {})
  }

  /** Ends a key for good; false when there is no such key. */
  revoke(id: string): boolean {
    const sql = 'UPDATE api_keys SET revoked = coalesce(revoked, :now) WHERE id = :id'
    return this.write(sql, { now: this.clock(), id }) > 0
  }

  /** Returns whether an account has at least `count` usable keys with a secret. */
  hasUsable(accountId: string, count: number): boolean {
    const sql = `SELECT 1 FROM api_keys WHERE account_id = :accountId AND ${withSecret} AND ${conditions.usable}
      LIMIT 1 OFFSET :count - 1`
    return this.first(sql, { accountId, count, now: this.clock() }) !== undefined
  }

  /** Returns whether any account has a usable key with a secret. */
  hasAnyUsable(): boolean {
    const sql = `SELECT 1 FROM api_keys WHERE ${withSecret} AND ${conditions.usable} LIMIT 1`
    return this.first(sql, { now: this.clock() }) !== undefined
  }

  /** Checks a secret and finds its account. Never throws. */
  verify(secret: string): KeyVerdict {
    if (secret.length !== secretPrefix.length + secretLength) return { kind: 'unknown' }
    const row = this.#find.get(secret.slice(0, storedPrefixLength))
    // The timing may show whether a prefix exists, which is no secret. The hashes are compared in constant time.
    if (row === null || !timingSafeEqual(row.hash, secretHash(secret))) return { kind: 'unknown' }
    return this.#verdict(row)
  }

  #verdict(row: FoundKey): KeyVerdict {
    if (row.revoked !== null) return { kind: 'revoked' }
    const now = this.clock()
    if (row.expires !== null && row.expires <= now) return { kind: 'expired' }
    if (row.disabled !== null) return { kind: 'account-disabled' }
    if (row.admitted_until !== null && row.admitted_until <= now) return { kind: 'identity-paused' }
    this.#noteUse(row.id, row.last_used)
    return { kind: 'valid', keyId: row.id, accountId: row.account_id, holderId: row.holder_id ?? undefined }
  }

  #noteUse(id: string, lastUsedMs: number | null): void {
    const now = this.clock()
    if (now - (lastUsedMs ?? 0) < lastUsedResolutionMs || now < this.#noteUseAgainMs) return
    try {
      this.#touch.run({ now, id })
    } catch {
      // A full disk or a locked database must neither refuse the key nor slow down each request: try again later.
      this.#noteUseAgainMs = now + lastUsedResolutionMs
    }
  }
}

function toKey(row: StoredKey): KeyRow {
  return { ...row, isPlayground: row.isPlayground === 1 }
}

import type { StoreOptions } from '../db/rows.ts'
import type { MailPurpose } from '../mail/outbox.ts'
import { secretHash } from './secret-hash.ts'

export type TokenVerdict =
  | { readonly kind: 'ok'; readonly accountId: string }
  | { readonly kind: 'used'; readonly accountId: string }
  | { readonly kind: 'expired'; readonly accountId: string }
  | { readonly kind: 'unknown' }

const minuteMs = 60_000
const lifetimeMs: Readonly<Record<MailPurpose, number>> = { confirm: 7 * 24 * 60 * minuteMs, 'sign-in': 30 * minuteMs }
const tokenLength = 32

interface StoredToken {
  account_id: string
  expires: number
  used: number | null
}

/** Secrets of mailed links, each for one use. Writes belong in a transaction. */
export class MailTokens {
  readonly #options: StoreOptions

  constructor(options: StoreOptions) {
    this.#options = options
  }

  /** Makes a token, which is stored nowhere. It is valid for 7 days to confirm, for 30 minutes to sign in. */
  mint(accountId: string, purpose: MailPurpose): string {
    const { database, newId, clock } = this.#options
    const token = newId('', tokenLength)
    const now = clock()
    database
      .query(
        `INSERT INTO mail_tokens (hash, account_id, purpose, created, expires)
         VALUES (:hash, :accountId, :purpose, :now, :expires)`,
      )
      .run({ hash: secretHash(token), accountId, purpose, now, expires: now + lifetimeMs[purpose] })
    return token
  }

  /** Uses a token. A disabled account's tokens are unknown. */
  consume(token: string, purpose: MailPurpose): TokenVerdict {
    const { database, clock } = this.#options
    const hash = secretHash(token)
    const found = database
      .query<StoredToken, [Uint8Array, string]>(
        `SELECT account_id, expires, used FROM mail_tokens JOIN accounts ON accounts.id = account_id
         WHERE hash = ? AND purpose = ? AND accounts.disabled IS NULL`,
      )
      .get(hash, purpose)
    if (found === null) return { kind: 'unknown' }
    const { account_id: accountId } = found
    if (found.used !== null) return { kind: 'used', accountId }
    if (found.expires <= clock()) return { kind: 'expired', accountId }
    database.query('UPDATE mail_tokens SET used = :now WHERE hash = :hash').run({ hash, now: clock() })
    return { kind: 'ok', accountId }
  }

  /** Invalidates an account's unused sign-in links. */
  spendSignInLinks(accountId: string): void {
    const { database, clock } = this.#options
    database
      .query(
        "UPDATE mail_tokens SET used = :now WHERE account_id = :accountId AND purpose = 'sign-in' AND used IS NULL",
      )
      .run({ accountId, now: clock() })
  }
}

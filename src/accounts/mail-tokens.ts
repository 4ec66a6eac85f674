import { minuteMs } from '../core/durations.ts'
import { secretHash } from '../core/ids.ts'
import { Store } from '../db/rows.ts'
import type { MailPurpose } from '../mail/outbox.ts'

export type TokenVerdict =
  | { readonly kind: 'ok' | 'used' | 'expired'; readonly accountId: string }
  | { readonly kind: 'unknown' }

const lifetimeMs: Readonly<Record<MailPurpose, number>> = { confirm: 7 * 24 * 60 * minuteMs, 'sign-in': 30 * minuteMs }
const tokenLength = 32

/** Secrets of mailed links, each for one use. Writes belong in a transaction. */
export class MailTokens extends Store {
  /**
   * Makes a token, which is never stored. It is valid for 7 days to confirm, for 30 minutes to sign in. `madeBy`:
   * operator who makes it on a page.
   */
  mint(accountId: string, purpose: MailPurpose, madeBy?: string): string {
    const token = this.newId('', tokenLength)
    const now = this.clock()
    this.write(
      `INSERT INTO mail_tokens (hash, account_id, purpose, created, expires, made_by)
       VALUES (:hash, :accountId, :purpose, :now, :expires, :madeBy)`,
      { hash: secretHash(token), accountId, purpose, now, expires: now + lifetimeMs[purpose], madeBy },
    )
    return token
  }

  /** Uses a token. A disabled account's tokens are unknown. */
  consume(token: string, purpose: MailPurpose): TokenVerdict {
    const verdict = this.check(token, purpose)
    const sql = 'UPDATE mail_tokens SET used = :now WHERE hash = :hash'
    if (verdict.kind === 'ok') this.write(sql, { hash: secretHash(token), now: this.clock() })
    return verdict
  }

  /** Returns the verdict that `consume` would return, and changes nothing. */
  check(token: string, purpose: MailPurpose): TokenVerdict {
    const hash = secretHash(token)
    const found = this.first<{ accountId: string; expires: number; used: number | null }>(
      `SELECT account_id AS accountId, expires, used FROM mail_tokens JOIN accounts ON accounts.id = account_id
       WHERE hash = :hash AND purpose = :purpose AND accounts.disabled IS NULL`,
      { hash, purpose },
    )
    if (found === undefined) return { kind: 'unknown' }
    const { accountId } = found
    if (found.used !== null) return { kind: 'used', accountId }
    return { kind: found.expires <= this.clock() ? 'expired' : 'ok', accountId }
  }

  /** Invalidates an account's unused sign-in links. */
  spendSignInLinks(accountId: string): void {
    this.write(
      "UPDATE mail_tokens SET used = :now WHERE account_id = :accountId AND purpose = 'sign-in' AND used IS NULL",
      { accountId, now: this.clock() },
    )
  }
}

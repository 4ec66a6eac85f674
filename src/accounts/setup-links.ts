import { secretHash } from '../core/ids.ts'
import { Store } from '../db/rows.ts'

const lifetimeMs = 30 * 60 * 1000
const tokenLength = 43

/** `used`: the link was used, or replaced by a later link of the account. */
type SetupVerdict =
  | { readonly kind: 'ok'; readonly accountId: string }
  | { readonly kind: 'used' | 'expired' | 'unknown' }

/** Secrets of the links by which staff choose a password, each for one use. Writes belong in a transaction. */
export class SetupLinks extends Store {
  /**
   * Makes a token, which is never stored and replaces earlier tokens of the account. `madeBy`: operator who makes it on
   * a page.
   */
  mint(accountId: string, madeBy?: string): { readonly token: string; readonly expiresAtMs: number } {
    const token = this.newId('', tokenLength)
    const now = this.clock()
    const expiresAtMs = now + lifetimeMs
    this.write('UPDATE setup_links SET used = :now WHERE account_id = :accountId AND used IS NULL', { accountId, now })
    this.write(
      `INSERT INTO setup_links (hash, account_id, created, expires, made_by)
       VALUES (:hash, :accountId, :now, :expiresAtMs, :madeBy)`,
      { hash: secretHash(token), accountId, now, expiresAtMs, madeBy },
    )
    return { token, expiresAtMs }
  }

  /** Returns whether a token can be used. Tokens are unknown while the account is disabled or is not staff's. */
  check(token: string): SetupVerdict {
    const sql = `SELECT account_id AS accountId, expires, used FROM setup_links
      JOIN accounts ON accounts.id = account_id
      WHERE hash = :hash AND accounts.role <> 'member' AND accounts.disabled IS NULL`
    const found = this.first<{ accountId: string; expires: number; used: number | null }>(sql, {
      hash: secretHash(token),
    })
    if (found === undefined) return { kind: 'unknown' }
    if (found.used !== null) return { kind: 'used' }
    return found.expires <= this.clock() ? { kind: 'expired' } : { kind: 'ok', accountId: found.accountId }
  }

  /** Uses a token. */
  consume(token: string): SetupVerdict {
    const verdict = this.check(token)
    const sql = 'UPDATE setup_links SET used = :now WHERE hash = :hash'
    if (verdict.kind === 'ok') this.write(sql, { hash: secretHash(token), now: this.clock() })
    return verdict
  }
}

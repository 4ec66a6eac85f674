import { secretHash } from '../core/ids.ts'
import { Store } from '../db/rows.ts'

export const sessionDays = 30
const dayMs = 24 * 60 * 60 * 1000
const secretLength = 43
const freshLinkMs = 30 * 60 * 1000

/** Sessions of the dashboard. Writes belong in a transaction. */
export class Sessions extends Store {
  /** Begins a session and returns its secret for the cookie, which is stored nowhere. For a disabled account it is not valid. */
  begin(accountId: string, { isByLink = false }: { readonly isByLink?: boolean } = {}): string {
    const secret = this.newId('', secretLength)
    const now = this.clock()
    this.write(
      `INSERT INTO sessions (hash, id, account_id, is_by_link, is_operator, created, last_used, expires)
       SELECT :hash, :id, id, :isByLink, 0, :now, :now, :expires FROM accounts
       WHERE id = :accountId AND disabled IS NULL`,
      {
        hash: secretHash(secret),
        id: this.newId('ses_'),
        accountId,
        isByLink,
        now,
        expires: now + sessionDays * dayMs,
      },
    )
    return secret
  }

  /** The account of a valid session; undefined while the account is disabled. */
  accountOf(secret: string): string | undefined {
    const sql = `SELECT accounts.id FROM sessions JOIN accounts ON accounts.id = sessions.account_id
      WHERE sessions.hash = :hash AND sessions.expires > :now AND accounts.disabled IS NULL`
    return this.first<{ id: string }>(sql, { hash: secretHash(secret), now: this.clock() })?.id
  }

  /** Whether the session began with a mailed link within the last half hour, which allows setting a new password. */
  hasJustUsedLink(secret: string): boolean {
    const sql = 'SELECT 1 FROM sessions WHERE hash = :hash AND is_by_link = 1 AND created > :since'
    return this.first(sql, { hash: secretHash(secret), since: this.clock() - freshLinkMs }) !== undefined
  }

  end(secret: string): void {
    this.write('DELETE FROM sessions WHERE hash = :hash', { hash: secretHash(secret) })
  }

  /** Ends all of an account's sessions but the one with this secret. */
  endOthers(accountId: string, secret: string): void {
    const sql = 'DELETE FROM sessions WHERE account_id = :accountId AND hash <> :hash'
    this.write(sql, { accountId, hash: secretHash(secret) })
  }

  endAll(accountId: string): void {
    this.write('DELETE FROM sessions WHERE account_id = :accountId', { accountId })
  }
}

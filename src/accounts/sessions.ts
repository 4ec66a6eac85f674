import type { StoreOptions } from '../db/rows.ts'
import { secretHash } from './secret-hash.ts'

export const sessionDays = 30
const dayMs = 24 * 60 * 60 * 1000
const secretLength = 43
const freshLinkMs = 30 * 60 * 1000

/** Sessions of the dashboard. Writes belong in a transaction. */
export class Sessions {
  readonly #options: StoreOptions

  constructor(options: StoreOptions) {
    this.#options = options
  }

  /** Begins a session and returns its secret for the cookie, which is stored nowhere. For a disabled account it is not valid. */
  begin(accountId: string, { isByLink = false }: { readonly isByLink?: boolean } = {}): string {
    const { database, newId, clock } = this.#options
    const secret = newId('', secretLength)
    const now = clock()
    database
      .query(
        `INSERT INTO sessions (hash, account_id, is_by_link, created, expires)
         SELECT :hash, id, :isByLink, :now, :expires FROM accounts WHERE id = :accountId AND disabled IS NULL`,
      )
      .run({
        hash: secretHash(secret),
        accountId,
        isByLink: isByLink ? 1 : 0,
        now,
        expires: now + sessionDays * dayMs,
      })
    return secret
  }

  /** The account of a valid session; undefined while the account is disabled. */
  accountOf(secret: string): string | undefined {
    const { database, clock } = this.#options
    return database
      .query<{ id: string }, [Uint8Array, number]>(
        `SELECT accounts.id FROM sessions JOIN accounts ON accounts.id = sessions.account_id
         WHERE sessions.hash = ? AND sessions.expires > ? AND accounts.disabled IS NULL`,
      )
      .get(secretHash(secret), clock())?.id
  }

  /** Whether the session began with a mailed link within the last half hour, which allows setting a new password. */
  hasJustUsedLink(secret: string): boolean {
    const { database, clock } = this.#options
    const found = database
      .query('SELECT 1 FROM sessions WHERE hash = ? AND is_by_link = 1 AND created > ?')
      .get(secretHash(secret), clock() - freshLinkMs)
    return found !== null
  }

  end(secret: string): void {
    this.#options.database.query('DELETE FROM sessions WHERE hash = ?').run(secretHash(secret))
  }

  /** Ends all of an account's sessions but the one with this secret. */
  endOthers(accountId: string, secret: string): void {
    this.#options.database
      .query('DELETE FROM sessions WHERE account_id = :accountId AND hash <> :hash')
      .run({ accountId, hash: secretHash(secret) })
  }

  endAll(accountId: string): void {
    this.#options.database.query('DELETE FROM sessions WHERE account_id = ?').run(accountId)
  }
}

/** What a server's start mends and deletes. */
import type { Database } from 'bun:sqlite'
import { parseEmail } from './email-address.ts'

/** Two accounts whose addresses are the same by today's rules, though they were not when the accounts were made. */
export interface EmailConflict {
  /** Still signs in by the address. */
  readonly ownerId: string
  /** Keeps its keys, its balance and its sessions, and cannot sign in by the address any more. */
  readonly accountId: string
}

/**
 * Applies today's rules to the addresses of accounts that earlier versions made. Only addresses beyond ASCII can differ:
 * without any this costs nothing.
 */
export function renewEmailKeys(database: Database): EmailConflict[] {
  const find = database.query<{ id: string }, [string]>('SELECT id FROM accounts WHERE email_key = ?')
  const update = database.query('UPDATE accounts SET email_key = :key WHERE id = :id')
  const conflicts: EmailConflict[] = []
  database
    .transaction(() => {
      const rows = database
        .query<{ id: string; email: string; email_key: string }, []>(
          "SELECT id, email, email_key FROM accounts WHERE email GLOB '*[^ -~]*' ORDER BY created, rowid",
        )
        .all()
      for (const { id, email, email_key: before } of rows) {
        const key = parseEmail(email)?.key ?? before
        if (key === before) continue
        const owner = find.get(key)
        if (owner === null) update.run({ id, key })
        else conflicts.push({ ownerId: owner.id, accountId: id })
      }
    })
    .immediate()
  return conflicts
}

const dayMs = 24 * 60 * 60 * 1000
/** Expired and used links are kept this long, so that the page can say why such a link does not work. */
const keptDays = 30

/** Deletes sessions, links, mails and signup counts that have no meaning any more. */
export function purgeExpired(database: Database, nowMs: number): void {
  const oldMs = nowMs - keptDays * dayMs
  database
    .transaction(() => {
      database.query('DELETE FROM sessions WHERE expires <= ?').run(nowMs)
      database.query('DELETE FROM mail_tokens WHERE expires <= ?').run(oldMs)
      database.query('DELETE FROM setup_links WHERE expires <= ?').run(oldMs)
      database.query('DELETE FROM outbox WHERE created < ?').run(oldMs)
      database.query('DELETE FROM signups WHERE day < ?').run(new Date(nowMs - dayMs).toISOString().slice(0, 10))
    })
    .immediate()
}

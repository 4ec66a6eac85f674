import type { Database } from 'bun:sqlite'
import { parseEmail } from './email-address.ts'

/** Two accounts whose addresses are the same by today's rules, though they were not when the accounts were made. */
export interface EmailConflict {
  /** Signs in by the address, as it did. */
  readonly ownerId: string
  /** Keeps its keys, its balance and its sessions, and cannot sign in by the address any more. */
  readonly accountId: string
}

/**
 * Compares the addresses of accounts made by earlier versions by today's rules. For a server's start. Only addresses beyond
 * ASCII can differ: without any this costs nothing.
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

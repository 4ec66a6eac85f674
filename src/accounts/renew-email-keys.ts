import type { Database } from 'bun:sqlite'
import { parseEmail } from './email-address.ts'

/** Two accounts whose addresses count as different by an earlier version's rules, and as equal by today's. */
interface EmailConflict {
  /** Account that still signs in by the address. */
  readonly ownerId: string
  /** Account that can no longer sign in by the address. It keeps its keys, balance and sessions. */
  readonly accountId: string
}

/**
 * Applies today's rules to the addresses of accounts that earlier versions made. Reads only addresses beyond ASCII,
 * since the rules agree on all others.
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

import { Store } from '../db/rows.ts'

interface VoidedSecrets {
  readonly links: number
  readonly keys: number
}

/** Links and keys that operators make on their pages for accounts. Writes belong in a transaction. */
export class HandedOut extends Store {
  /**
   * Ends an account's unused links, and the links and keys that its owner made for others, so that an account which
   * loses its rights keeps no access. Used keys of members stay, because programs depend on them; keys of staff's
   * accounts all end. Returns how many secrets of others ended; undefined if none.
   */
  voidAll(accountId: string): VoidedSecrets | undefined {
    const values = { accountId, now: this.clock() }
    const spend = (table: string, column: string) =>
      this.write(`UPDATE ${table} SET used = :now WHERE ${column} = :accountId AND used IS NULL`, values)
    for (const table of linkTables) spend(table, 'account_id')
    const links = linkTables.reduce((sum, table) => sum + spend(table, 'made_by'), 0)
    const keys = this.write(
      `UPDATE api_keys SET revoked = :now WHERE made_by = :accountId AND revoked IS NULL
         AND (last_used IS NULL OR account_id IN (SELECT id FROM accounts WHERE role <> 'member'))`,
      values,
    )
    return links + keys > 0 ? { links, keys } : undefined
  }
}

const linkTables = ['mail_tokens', 'setup_links'] as const

import type { Database } from 'bun:sqlite'
import type { NewId } from '../core/ids.ts'

export interface AccountStoreOptions {
  readonly database: Database
  readonly newId: NewId
  /** Milliseconds UTC. */
  readonly clock: () => number
}

export interface OperatorAccount {
  readonly id: string
  /** True when this call made it: the database had no account before. */
  readonly isNew: boolean
}

export class AccountStore {
  readonly #options: AccountStoreOptions

  constructor(options: AccountStoreOptions) {
    this.#options = options
  }

  /** False on a database that nobody has used yet. */
  hasAny(): boolean {
    return this.#options.database.query('SELECT 1 FROM accounts LIMIT 1').get() !== null
  }

  /** The operator's account: the oldest unmetered one, made on the first call. No balance limits it. */
  ensureOperator(): OperatorAccount {
    const { database, newId, clock } = this.#options
    const find = database.query<{ id: string }, []>(
      'SELECT id FROM accounts WHERE is_unmetered = 1 ORDER BY created, rowid LIMIT 1',
    )
    // Immediate: of two processes that start at once on an empty database, one makes it and the other finds it.
    return database
      .transaction((): OperatorAccount => {
        const found = find.get()
        if (found !== null) return { id: found.id, isNew: false }
        const id = newId('acc_')
        database
          .query('INSERT INTO accounts (id, name, is_unmetered, created) VALUES (:id, :name, 1, :created)')
          .run({ id, name: 'operator', created: clock() })
        return { id, isNew: true }
      })
      .immediate()
  }
}

import type { Database } from 'bun:sqlite'
import { latestRows, type Page } from '../db/latest-rows.ts'
import { parseEmail } from './email-address.ts'

export interface AccountRow {
  readonly id: string
  /** As it was given; undefined for accounts without. */
  readonly email: string | undefined
  readonly name: string
  /** Recorded and priced, never charged nor refused. */
  readonly isUnmetered: boolean
  readonly createdMs: number
  /** When its address proved to be theirs. */
  readonly confirmedMs: number | undefined
  readonly disabledMs: number | undefined
  readonly balanceNanoUsd: number
  /** Part of the balance that is promised to requests that run. */
  readonly heldNanoUsd: number
}

interface StoredAccount {
  id: string
  email: string | null
  name: string
  is_unmetered: number
  created: number
  confirmed: number | null
  disabled: number | null
  balance: number
  held: number
}

/** The accounts as the operator sees and switches them. */
export class AccountDirectory {
  readonly #database: Database
  readonly #clock: () => number

  constructor({ database, clock }: { readonly database: Database; readonly clock: () => number }) {
    this.#database = database
    this.#clock = clock
  }

  /** Accounts, the latest first. */
  list(page: Page = {}): AccountRow[] {
    const list = { table: 'accounts', select: 'SELECT * FROM accounts', order: 'created' } as const
    return latestRows<StoredAccount>(this.#database, list, page).map(toRow)
  }

  /** The account with this id. */
  find(id: string): AccountRow | undefined {
    const row = this.#database.query<StoredAccount, [string]>('SELECT * FROM accounts WHERE id = ?').get(id)
    return row === null ? undefined : toRow(row)
  }

  /** The account with this mail address. */
  findByEmail(address: string): AccountRow | undefined {
    const key = parseEmail(address)?.key
    if (key === undefined) return undefined
    const row = this.#database.query<StoredAccount, [string]>('SELECT * FROM accounts WHERE email_key = ?').get(key)
    return row === null ? undefined : toRow(row)
  }

  /** Within a transaction; nothing happens when it is so already or there is no such account. */
  setUnmetered(id: string, isUnmetered: boolean): void {
    this.#database
      .query('UPDATE accounts SET is_unmetered = :value WHERE id = :id')
      .run({ id, value: isUnmetered ? 1 : 0 })
  }

  /** Within a transaction. A disabled account's keys are refused until it is enabled again; its sessions end. */
  setDisabled(id: string, isDisabled: boolean): void {
    if (isDisabled) this.#database.query('DELETE FROM sessions WHERE account_id = ?').run(id)
    this.#database
      .query('UPDATE accounts SET disabled = CASE WHEN :value THEN coalesce(disabled, :now) END WHERE id = :id')
      .run({ id, value: isDisabled ? 1 : 0, now: this.#clock() })
  }
}

function toRow(row: StoredAccount): AccountRow {
  return {
    id: row.id,
    email: row.email ?? undefined,
    name: row.name,
    isUnmetered: row.is_unmetered === 1,
    createdMs: row.created,
    confirmedMs: row.confirmed ?? undefined,
    disabledMs: row.disabled ?? undefined,
    balanceNanoUsd: row.balance,
    heldNanoUsd: row.held,
  }
}

import type { Database } from 'bun:sqlite'
import { findRow, latestRows, type Page, type RowFilter, type StoreOptions } from '../db/rows.ts'
import { parseEmail } from './email-address.ts'

export interface AccountRow {
  readonly id: string
  /** As it was given; undefined for accounts without. */
  readonly email: string | undefined
  readonly name: string
  /** Its requests are recorded and priced, never charged nor refused for money. */
  readonly isUnmetered: boolean
  readonly createdMs: number
  /** When the address proved to be the account's. */
  readonly confirmedMs: number | undefined
  readonly disabledMs: number | undefined
  readonly balanceNanoUsd: number
  /** Part of the balance that is held for running requests. */
  readonly heldNanoUsd: number
}

type StoredAccount = Omit<AccountRow, 'isUnmetered'> & { readonly isUnmetered: number }

const source = {
  table: 'accounts',
  columns: `id, email, name, is_unmetered AS isUnmetered, created AS createdMs, confirmed AS confirmedMs,
    disabled AS disabledMs, balance AS balanceNanoUsd, held AS heldNanoUsd`,
  order: 'created',
} as const

/** The accounts as the operator sees and switches them. */
export class AccountDirectory {
  readonly #database: Database
  readonly #clock: () => number

  constructor({ database, clock }: Pick<StoreOptions, 'database' | 'clock'>) {
    this.#database = database
    this.#clock = clock
  }

  /** Accounts, the latest first. */
  list(page: Page = {}): AccountRow[] {
    return latestRows<StoredAccount>(this.#database, source, page).map(toAccount)
  }

  /** The account with this id. */
  find(id: string): AccountRow | undefined {
    return this.#findBy({ id })
  }

  /** The account with this mail address. */
  findByEmail(address: string): AccountRow | undefined {
    const key = parseEmail(address)?.key
    return key === undefined ? undefined : this.#findBy({ email_key: key })
  }

  #findBy(filter: RowFilter): AccountRow | undefined {
    const row = findRow<StoredAccount>(this.#database, source, filter)
    return row && toAccount(row)
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

function toAccount(row: StoredAccount): AccountRow {
  return { ...row, isUnmetered: row.isUnmetered === 1 }
}

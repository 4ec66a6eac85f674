import type { Ledger } from '../billing/ledger.ts'
import type { AuditLog } from '../db/audit-log.ts'
import { findRow, latestRows, type Page, type RowFilter, type StoreOptions } from '../db/rows.ts'
import { type EmailAddress, parseEmail } from './email-address.ts'

export interface AccountStoreOptions extends StoreOptions {
  readonly ledger: Ledger
  readonly audit: AuditLog
}

export interface NewAccount {
  readonly email: EmailAddress
  readonly name: string
  /** Undefined: signs in by mailed links alone. */
  readonly passwordHash?: string | undefined
  readonly isUnmetered?: boolean
  /** `cli:<user>` or `system`; undefined: the account itself. */
  readonly actor?: string
}

export interface SignInFacts {
  readonly accountId: string
  readonly passwordHash: string | undefined
}

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

/** Accounts, and what their owners sign in with. Writes belong in a transaction. */
export class AccountStore {
  readonly #options: AccountStoreOptions

  constructor(options: AccountStoreOptions) {
    this.#options = options
  }

  /** False on a new database. */
  hasAny(): boolean {
    return this.list({ limit: 1 }).length > 0
  }

  /** Accounts, the latest first. */
  list(page: Page = {}): AccountRow[] {
    return latestRows<StoredAccount>(this.#options.database, source, page).map(toAccount)
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
    const row = findRow<StoredAccount>(this.#options.database, source, filter)
    return row && toAccount(row)
  }

  setUnmetered(id: string, isUnmetered: boolean): void {
    this.#options.database
      .query('UPDATE accounts SET is_unmetered = :value WHERE id = :id')
      .run({ id, value: isUnmetered ? 1 : 0 })
  }

  /** A disabled account's keys are refused until it is enabled again; its sessions end. */
  setDisabled(id: string, isDisabled: boolean): void {
    if (isDisabled) this.#options.database.query('DELETE FROM sessions WHERE account_id = ?').run(id)
    this.#options.database
      .query('UPDATE accounts SET disabled = CASE WHEN :value THEN coalesce(disabled, :now) END WHERE id = :id')
      .run({ id, value: isDisabled ? 1 : 0, now: this.#options.clock() })
  }

  /** The operator's own account: the oldest unmetered one, made on the first call. */
  ensureOperator(): { readonly id: string } {
    const { database, newId, clock } = this.#options
    const find = database.query<{ id: string }, []>(
      'SELECT id FROM accounts WHERE is_unmetered = 1 ORDER BY created, rowid LIMIT 1',
    )
    // Immediate: of two processes that start at once on an empty database, one makes it and the other finds it.
    return database
      .transaction(() => {
        const found = find.get()
        if (found !== null) return found
        const id = newId('acc_')
        database
          .query("INSERT INTO accounts (id, name, is_unmetered, created) VALUES (:id, 'operator', 1, :created)")
          .run({ id, created: clock() })
        return { id }
      })
      .immediate()
  }

  /** Makes an account with a balance of 0 and returns its id; undefined when the address has an account. */
  create({ email, name, passwordHash, isUnmetered = false, actor }: NewAccount): string | undefined {
    const { database, newId, clock, ledger, audit } = this.#options
    const id = newId('acc_')
    const { changes } = database
      .query(
        `INSERT INTO accounts (id, email, email_key, name, password_hash, is_unmetered, created)
         VALUES (:id, :email, :emailKey, :name, :passwordHash, :isUnmetered, :created)
         ON CONFLICT (email_key) DO NOTHING`,
      )
      .run({
        id,
        email: email.address,
        emailKey: email.key,
        name,
        passwordHash: passwordHash ?? null,
        isUnmetered: isUnmetered ? 1 : 0,
        created: clock(),
      })
    if (changes === 0) return undefined
    const by = actor ?? `account:${id}`
    ledger.append({ accountId: id, kind: 'signup', amountNanoUsd: 0, actor: by })
    audit.append({ actor: by, action: 'account.create', accountId: id, details: { isUnmetered } })
    return id
  }

  /** Marks the address as confirmed and adds the starter credit; false, without a change, when it was confirmed before. */
  confirm(accountId: string, starterCreditNanoUsd: number): boolean {
    const { database, clock, ledger, audit } = this.#options
    const { changes } = database
      .query('UPDATE accounts SET confirmed = :now WHERE id = :id AND confirmed IS NULL')
      .run({ id: accountId, now: clock() })
    if (changes === 0) return false
    const actor = `account:${accountId}`
    if (starterCreditNanoUsd > 0) {
      ledger.append({ accountId, kind: 'starter_credit', amountNanoUsd: starterCreditNanoUsd, actor })
    }
    audit.append({ actor, action: 'account.confirm', accountId, details: { starterCreditNanoUsd } })
    return true
  }

  /** Whether an address has an account, disabled or not. */
  hasEmail({ key }: EmailAddress): boolean {
    return this.#findBy({ email_key: key }) !== undefined
  }

  /** What signing in by an address is checked against; undefined where there is no account, or a disabled one. */
  signInFacts(email: EmailAddress): SignInFacts | undefined {
    const row = this.#options.database
      .query<{ id: string; password_hash: string | null }, [string]>(
        'SELECT id, password_hash FROM accounts WHERE email_key = ? AND disabled IS NULL',
      )
      .get(email.key)
    return row === null ? undefined : { accountId: row.id, passwordHash: row.password_hash ?? undefined }
  }

  /** The hash of an account's password, undefined where it has none. */
  passwordHash(accountId: string): string | undefined {
    return (
      this.#options.database
        .query<{ password_hash: string | null }, [string]>('SELECT password_hash FROM accounts WHERE id = ?')
        .get(accountId)?.password_hash ?? undefined
    )
  }

  /** Until a password is set, the account signs in by mailed links alone. */
  forgetPassword(accountId: string): void {
    this.#options.database.query('UPDATE accounts SET password_hash = NULL WHERE id = ?').run(accountId)
  }

  setPasswordHash(accountId: string, passwordHash: string): void {
    const { database, audit } = this.#options
    database
      .query('UPDATE accounts SET password_hash = :passwordHash WHERE id = :accountId')
      .run({ accountId, passwordHash })
    audit.append({ actor: `account:${accountId}`, action: 'account.password', accountId, details: {} })
  }
}

function toAccount(row: StoredAccount): AccountRow {
  return { ...row, isUnmetered: row.isUnmetered === 1 }
}

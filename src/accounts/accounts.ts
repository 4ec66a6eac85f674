import type { Ledger } from '../billing/ledger.ts'
import type { AuditLog } from '../db/audit-log.ts'
import type { StoreOptions } from '../db/rows.ts'
import type { EmailAddress } from './email-address.ts'

export interface AccountStoreOptions extends StoreOptions {
  readonly ledger: Ledger
  readonly audit: AuditLog
}

export interface OperatorAccount {
  readonly id: string
  /** True when this call made it: the database had no account before. */
  readonly isNew: boolean
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

/** Makes accounts, and keeps what their owners sign in with. Writes belong in a transaction. */
export class AccountStore {
  readonly #options: AccountStoreOptions

  constructor(options: AccountStoreOptions) {
    this.#options = options
  }

  /** False on a new database. */
  hasAny(): boolean {
    return this.#options.database.query('SELECT 1 FROM accounts LIMIT 1').get() !== null
  }

  /** The operator's own account: the oldest unmetered one, made on the first call. */
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
  hasEmail(email: EmailAddress): boolean {
    return this.#options.database.query('SELECT 1 FROM accounts WHERE email_key = ?').get(email.key) !== null
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

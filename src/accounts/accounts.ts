import type { Ledger } from '../billing/ledger.ts'
import { keptName } from '../core/printable.ts'
import type { Role, RoleSource } from '../core/roles.ts'
import type { AuditLog } from '../db/audit-log.ts'
import { findRow, type RowFilter, Store, type StoreOptions } from '../db/rows.ts'
import { type AccountQuery, type ListedAccount, listAccounts } from './account-list.ts'
import { type AccountRow, accountSource, type StoredAccount, toAccount } from './account-row.ts'
import { type EmailAddress, parseEmail } from './email-address.ts'

interface AccountStoreOptions extends StoreOptions {
  readonly ledger: Ledger
  readonly audit: AuditLog
}

interface NewAccount {
  readonly email: EmailAddress
  readonly name: string
  /** Hash of the password. Undefined for accounts that sign in only by mailed links. */
  readonly passwordHash?: string | undefined
  readonly isUnmetered?: boolean
  /** Actor in the audit log: `cli:<user>` or `system`. Defaults to the account itself. */
  readonly actor?: string
}

interface SignInFacts {
  readonly accountId: string
  readonly passwordHash: string | undefined
}

const maximumCounted = 100_000

/** Accounts and their passwords. Writes belong in a transaction. */
export class AccountStore extends Store {
  readonly #ledger: Ledger
  readonly #audit: AuditLog

  constructor(options: AccountStoreOptions) {
    super(options)
    this.#ledger = options.ledger
    this.#audit = options.audit
  }

  /** Returns whether there is any account. False on a new database. */
  hasAny(): boolean {
    return this.first('SELECT 1 FROM accounts LIMIT 1') !== undefined
  }

  /** Lists accounts with their latest activity, the newest account first. */
  list(query: AccountQuery = {}): ListedAccount[] {
    return listAccounts(this.database, this.clock(), query)
  }

  /** Returns the account with this id. */
  find(id: string): AccountRow | undefined {
    return this.#findBy({ id })
  }

  /** Returns the account with this mail address. */
  findByEmail(address: string): AccountRow | undefined {
    const key = parseEmail(address)?.key
    return key === undefined ? undefined : this.#findBy({ email_key: key })
  }

  #findBy(filter: RowFilter): AccountRow | undefined {
    const row = findRow<StoredAccount>(this.database, accountSource, filter)
    return row && toAccount(row)
  }

  /** Renames an account and returns the stored name. `isNew` is true if the name has changed. */
  rename(id: string, text: string): { readonly name: string; readonly isNew: boolean } {
    const name = keptName(text)
    const changes = this.write('UPDATE accounts SET name = :name WHERE id = :id AND name <> :name', { id, name })
    return { name, isNew: changes > 0 }
  }

  /** Gives an account another mail address, which no account may have. */
  setEmail(id: string, { address, key }: EmailAddress): void {
    this.write('UPDATE accounts SET email = :address, email_key = :key WHERE id = :id', { id, address, key })
  }

  setUnmetered(id: string, isUnmetered: boolean): void {
    this.write('UPDATE accounts SET is_unmetered = :isUnmetered WHERE id = :id', { id, isUnmetered })
  }

  /** Disables or enables an account. While disabled its keys are refused; its sessions end. */
  setDisabled(id: string, isDisabled: boolean): void {
    if (isDisabled) this.write('DELETE FROM sessions WHERE account_id = :id', { id })
    this.write(
      'UPDATE accounts SET disabled = CASE WHEN :isDisabled THEN coalesce(disabled, :now) END WHERE id = :id',
      { id, isDisabled, now: this.clock() },
    )
  }

  /** Returns the role of an account; `member` if there is none. */
  roleOf(id: string): Role {
    return this.find(id)?.role ?? 'member'
  }

  /** Returns whether an account has an operator's rights. */
  isOperator(id: string): boolean {
    return this.roleOf(id) === 'operator'
  }

  /**
   * Counts accounts other than operators': all, and those made since `sinceMs` (milliseconds UTC). Counting stops at
   * 100,000, because anybody can sign up and a long count would block the server.
   */
  count(sinceMs: number): { readonly all: number; readonly made: number } {
    const operators = "SELECT count(*) FROM accounts WHERE role = 'operator'"
    const counted = (since: string) => `(SELECT count(*) FROM
      (SELECT 1 FROM accounts WHERE created >= ${since} LIMIT ${maximumCounted})) - (${operators} AND created >= ${since})`
    const sql = `SELECT ${counted('-1e18')} AS "all", ${counted(':sinceMs')} AS made`
    return this.first<{ readonly all: number; readonly made: number }>(sql, { sinceMs }) ?? { all: 0, made: 0 }
  }

  /**
   * Changes the role of an account and ends its sessions, which began with the former rights. Returns false, without a
   * change, if it has the role, if the account is the operator's own (so that an operator always remains) or a team's,
   * or if groups may not change what an operator gave.
   */
  setRole(id: string, role: Role, source: RoleSource): boolean {
    const account = this.find(id)
    if (account === undefined || account.kind === 'team' || id === this.#findOperator()?.id) return false
    if (source === 'groups' && account.roleSource === 'hand' && account.role !== 'member') return false
    this.write('UPDATE accounts SET role_source = :source WHERE id = :id', { id, source })
    if (account.role === role) return false
    this.write('DELETE FROM sessions WHERE account_id = :id', { id })
    this.write('UPDATE accounts SET role = :role WHERE id = :id', { id, role })
    return true
  }

  /** Returns whether an operator can sign in by a password. */
  hasOperatorPassword(): boolean {
    const sql =
      "SELECT 1 FROM accounts WHERE role = 'operator' AND password_hash IS NOT NULL AND disabled IS NULL LIMIT 1"
    return this.first(sql) !== undefined
  }

  /**
   * Returns the operator's own account: the oldest with an operator's rights that were given by hand, preferably without an
   * address. Creates it on the first call.
   */
  ensureOperator(): { readonly id: string } {
    const make = () => {
      const id = this.newId('acc_')
      const sql = `INSERT INTO accounts (id, name, is_unmetered, role, created)
        VALUES (:id, 'operator', 1, 'operator', :created)`
      this.write(sql, { id, created: this.clock() })
      return { id }
    }
    // Immediate: if two processes start at once on an empty database, one makes the account and the other finds it.
    return this.database.transaction(() => this.#findOperator() ?? make()).immediate()
  }

  #findOperator(): { readonly id: string } | undefined {
    const sql = `SELECT id FROM accounts WHERE role = 'operator' AND role_source = 'hand'
      ORDER BY email IS NOT NULL, created, rowid LIMIT 1`
    return this.first<{ id: string }>(sql)
  }

  /** Makes an account with a balance of 0 and returns its id; undefined when the address has an account. */
  create({ email, name, passwordHash, isUnmetered = false, actor }: NewAccount): string | undefined {
    const id = this.newId('acc_')
    const changes = this.write(
      `INSERT INTO accounts (id, email, email_key, name, password_hash, is_unmetered, created)
       VALUES (:id, :address, :key, :name, :passwordHash, :isUnmetered, :created)
       ON CONFLICT (email_key) DO NOTHING`,
      {
        id,
        address: email.address,
        key: email.key,
        name: keptName(name),
        passwordHash,
        isUnmetered,
        created: this.clock(),
      },
    )
    if (changes === 0) return undefined
    const by = actor ?? `account:${id}`
    this.#ledger.append({ accountId: id, kind: 'signup', amountNanoUsd: 0, actor: by })
    this.#audit.append({ actor: by, action: 'account.create', accountId: id, details: { isUnmetered } })
    return id
  }

  /** Makes a team with a balance of 0 and no members, and returns its id. */
  createTeam(name: string, actor: string): string {
    const id = this.newId('acc_')
    const sql = "INSERT INTO accounts (id, name, kind, created) VALUES (:id, :name, 'team', :created)"
    this.write(sql, { id, name: keptName(name), created: this.clock() })
    this.#ledger.append({ accountId: id, kind: 'signup', amountNanoUsd: 0, actor })
    this.#audit.append({ actor, action: 'team.create', accountId: id, details: {} })
    return id
  }

  /** Marks the address as confirmed and adds the starter credit; false, without a change, when it was confirmed before. */
  confirm(accountId: string, starterCreditNanoUsd: number): boolean {
    const sql = 'UPDATE accounts SET confirmed = :now WHERE id = :accountId AND confirmed IS NULL'
    if (this.write(sql, { accountId, now: this.clock() }) === 0) return false
    const actor = `account:${accountId}`
    if (starterCreditNanoUsd > 0) {
      this.#ledger.append({ accountId, kind: 'starter_credit', amountNanoUsd: starterCreditNanoUsd, actor })
    }
    this.#audit.append({ actor, action: 'account.confirm', accountId, details: { starterCreditNanoUsd } })
    return true
  }

  /** Returns whether an address has an account, disabled or not. */
  hasEmail({ key }: EmailAddress): boolean {
    return this.#findBy({ email_key: key }) !== undefined
  }

  /** Returns the facts that a sign-in is checked against. Undefined if there is no account, or a disabled one. */
  signInFacts({ key }: EmailAddress): SignInFacts | undefined {
    const sql = 'SELECT id, password_hash AS hash FROM accounts WHERE email_key = :key AND disabled IS NULL'
    const row = this.first<{ id: string; hash: string | null }>(sql, { key })
    return row && { accountId: row.id, passwordHash: row.hash ?? undefined }
  }

  /** Returns these facts for an operator without an address, found by the account's name in any Unicode form. */
  operatorSignInFacts(name: string): SignInFacts | undefined {
    const sql = `SELECT id, password_hash AS hash FROM accounts
      WHERE role = 'operator' AND email IS NULL AND name = :name COLLATE NOCASE AND disabled IS NULL ORDER BY created`
    const row = this.first<{ id: string; hash: string | null }>(sql, { name: keptName(name) })
    return row && { accountId: row.id, passwordHash: row.hash ?? undefined }
  }

  /** Returns the hash of an account's password; undefined without one. */
  passwordHash(accountId: string): string | undefined {
    const sql = 'SELECT password_hash AS hash FROM accounts WHERE id = :accountId'
    return this.first<{ hash: string | null }>(sql, { accountId })?.hash ?? undefined
  }

  /** Removes the password. Until a new one is set, the account signs in only by mailed links. */
  forgetPassword(accountId: string): void {
    this.write('UPDATE accounts SET password_hash = NULL WHERE id = :accountId', { accountId })
  }

  setPasswordHash(accountId: string, passwordHash: string): void {
    this.write('UPDATE accounts SET password_hash = :passwordHash WHERE id = :accountId', { accountId, passwordHash })
    this.#audit.append({ actor: `account:${accountId}`, action: 'account.password', accountId, details: {} })
  }
}

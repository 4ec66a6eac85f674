import { Store } from '../db/rows.ts'
import type { Identity } from './oidc/identity-claims.ts'

/** Identity at a provider, and the account that it signs in. */
export interface IdentityRow {
  readonly issuer: string
  readonly subject: string
  readonly accountId: string
  readonly provider: string
  /** Last address that the provider has proven. */
  readonly email: string | undefined
  /** Groups at the last sign-in that settings name. */
  readonly groups: readonly string[]
  readonly createdMs: number
  readonly lastSignInMs: number
  /** Time since which the person is in none of the allowed groups. */
  readonly refusedMs: number | undefined
}

type StoredIdentity = Omit<IdentityRow, 'groups'> & { readonly groups: string }

const columns = `issuer, subject, account_id AS accountId, provider, email, groups, created AS createdMs,
  last_sign_in AS lastSignInMs, refused AS refusedMs`

/** Days without a sign-in after which keys pause, by provider. */
export type PauseDays = Readonly<Record<string, number>>

/** People as identity providers know them. Writes belong in a transaction. */
export class Identities extends Store {
  /** Returns the identity of a person at an issuer. The mail address identifies nobody: it may be given to others. */
  find({ issuer, subject }: Pick<Identity, 'issuer' | 'subject'>): IdentityRow | undefined {
    const row = this.first<StoredIdentity>(
      `SELECT ${columns} FROM identities WHERE issuer = :issuer AND subject = :subject`,
      { issuer, subject },
    )
    return row && toIdentity(row)
  }

  /** Lists the identities of an account, the oldest first. */
  list(accountId: string): IdentityRow[] {
    const sql = `SELECT ${columns} FROM identities WHERE account_id = :accountId ORDER BY created, issuer, subject`
    return this.all<StoredIdentity>(sql, { accountId }).map(toIdentity)
  }

  /** Makes an identity the account's. */
  add(accountId: string, { issuer, subject, provider }: Identity): void {
    this.write(
      `INSERT INTO identities (issuer, subject, account_id, provider, groups, created, last_sign_in)
       VALUES (:issuer, :subject, :accountId, :provider, '[]', :now, :now)`,
      { issuer, subject, accountId, provider, now: this.clock() },
    )
  }

  /**
   * Records a sign-in with the last address that the provider has proven, or with `isRefused` that the person is in none
   * of the allowed groups.
   */
  record({ issuer, subject, provider, email, isEmailProven, groups }: Identity, { isRefused = false } = {}): void {
    this.write(
      `UPDATE identities SET provider = :provider, email = coalesce(:email, email), groups = :groups,
         last_sign_in = iif(:isRefused, last_sign_in, :now), refused = iif(:isRefused, coalesce(refused, :now), NULL)
       WHERE issuer = :issuer AND subject = :subject`,
      {
        issuer,
        subject,
        provider,
        email: isEmailProven ? email : null,
        groups: JSON.stringify(groups),
        isRefused,
        now: this.clock(),
      },
    )
  }

  /** Takes an identity from its account. Returns false if the account does not have it. */
  remove(accountId: string, { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>): boolean {
    const sql = 'DELETE FROM identities WHERE account_id = :accountId AND issuer = :issuer AND subject = :subject'
    return this.write(sql, { accountId, issuer, subject }) > 0
  }

  /**
   * Computes until when an account is admitted, or all accounts with identities: the latest time that one of its
   * identities gives, and for ever if one sets no end.
   */
  admit(pauseDays: PauseDays, accountId?: string): void {
    const ends = `SELECT coalesce(refused, last_sign_in + days.value * 86400000) AS end FROM identities
      LEFT JOIN json_each(:pauseDays) AS days ON days.key = provider AND days.value > 0
      WHERE account_id = accounts.id`
    const which = accountId === undefined ? 'id IN (SELECT account_id FROM identities)' : 'id = :accountId'
    this.write(
      `UPDATE accounts SET admitted_until = (SELECT iif(count(*) = count(end), max(end), NULL) FROM (${ends})) WHERE ${which}`,
      { pauseDays: JSON.stringify(pauseDays), ...(accountId !== undefined && { accountId }) },
    )
  }
}

function toIdentity(row: StoredIdentity): IdentityRow {
  return { ...row, groups: JSON.parse(row.groups) as string[] } // written by `record`
}

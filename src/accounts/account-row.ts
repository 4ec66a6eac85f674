import type { Role, RoleSource } from '../core/roles.ts'

export interface AccountRow {
  readonly id: string
  /** Email address as given. Undefined for accounts without one. */
  readonly email: string | undefined
  readonly name: string
  /** `team`: pays for its members' keys, and nobody signs in to it. */
  readonly kind: 'person' | 'team'
  /** True if requests are recorded and priced, but never charged or refused for lack of money. */
  readonly isUnmetered: boolean
  /** Rights on the operators' pages, after a sign-in by password. */
  readonly role: Role
  readonly roleSource: RoleSource
  /** True if sign-ins by password need a code as well. */
  readonly hasSecondFactor: boolean
  readonly createdMs: number
  /** Time when the address was confirmed as the account's. */
  readonly confirmedMs: number | undefined
  readonly disabledMs: number | undefined
  /** Time when its person was erased. */
  readonly erasedMs: number | undefined
  readonly balanceNanoUsd: number
  /** Part of the balance that is held for running requests. */
  readonly heldNanoUsd: number
}

export type StoredAccount = {
  readonly [Key in keyof AccountRow]: AccountRow[Key] extends boolean ? number : AccountRow[Key]
}

export const accountSource = {
  table: 'accounts',
  columns: `id, email, name, kind, is_unmetered AS isUnmetered, role, role_source AS roleSource, created AS createdMs,
    EXISTS (SELECT 1 FROM second_factors WHERE account_id = accounts.id AND confirmed IS NOT NULL) AS hasSecondFactor,
    confirmed AS confirmedMs, disabled AS disabledMs,
    (SELECT created FROM erasures WHERE account_id = accounts.id) AS erasedMs, balance AS balanceNanoUsd, held AS heldNanoUsd`,
  order: 'created',
} as const

export function toAccount(row: StoredAccount): AccountRow {
  return { ...row, isUnmetered: row.isUnmetered === 1, hasSecondFactor: row.hasSecondFactor === 1 }
}

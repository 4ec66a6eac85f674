export interface AccountRow {
  readonly id: string
  /** As it was given; undefined for accounts without. */
  readonly email: string | undefined
  readonly name: string
  /** Its requests are recorded and priced, never charged nor refused for money. */
  readonly isUnmetered: boolean
  /** It may sign in as an operator, by its password. */
  readonly isOperator: boolean
  readonly createdMs: number
  /** When the address proved to be the account's. */
  readonly confirmedMs: number | undefined
  readonly disabledMs: number | undefined
  readonly balanceNanoUsd: number
  /** Part of the balance that is held for running requests. */
  readonly heldNanoUsd: number
}

export type StoredAccount = Omit<AccountRow, 'isUnmetered' | 'isOperator'> & {
  readonly isUnmetered: number
  readonly isOperator: number
}

export const accountSource = {
  table: 'accounts',
  columns: `id, email, name, is_unmetered AS isUnmetered, is_operator AS isOperator, created AS createdMs, confirmed AS confirmedMs,
    disabled AS disabledMs, balance AS balanceNanoUsd, held AS heldNanoUsd`,
  order: 'created',
} as const

export function toAccount(row: StoredAccount): AccountRow {
  return { ...row, isUnmetered: row.isUnmetered === 1, isOperator: row.isOperator === 1 }
}

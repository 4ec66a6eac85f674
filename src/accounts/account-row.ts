export interface AccountRow {
  readonly id: string
  /** Email address as given. Undefined for accounts without one. */
  readonly email: string | undefined
  readonly name: string
  /** True if requests are recorded and priced, but never charged or refused for lack of money. */
  readonly isUnmetered: boolean
  /** True if the account may sign in as an operator, by its password. */
  readonly isOperator: boolean
  readonly createdMs: number
  /** Time when the address was confirmed as the account's. */
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

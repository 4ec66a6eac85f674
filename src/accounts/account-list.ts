import type { Database } from 'bun:sqlite'
import { dayMs } from '../core/durations.ts'
import { latestRows, type Page, partPattern } from '../db/rows.ts'
import { type AccountRow, accountSource, type StoredAccount, toAccount } from './account-row.ts'

/** `unconfirmed`: the address was never confirmed. `empty`: a metered account whose balance is 0. */
export const accountStates = [
  ...(['unconfirmed', 'disabled', 'unmetered', 'empty'] as const),
  ...(['operator', 'treasurer', 'auditor', 'team'] as const),
] as const
type AccountState = (typeof accountStates)[number]

export interface AccountQuery extends Page {
  /** Part of the address or of the name, or the id. */
  readonly search?: string | undefined
  readonly state?: AccountState | undefined
}

interface Lately {
  /** Time of the last request to a model, free ones included. */
  readonly lastUsedMs: number | undefined
  /** Sum of the last 30 whole days UTC, today included. */
  readonly spent30DaysNanoUsd: number
}

export type ListedAccount = AccountRow & Lately

const conditions: Readonly<Record<AccountState, string>> = {
  unconfirmed: 'accounts.confirmed IS NULL AND accounts.email IS NOT NULL',
  disabled: 'accounts.disabled IS NOT NULL',
  unmetered: 'accounts.is_unmetered = 1',
  empty: 'accounts.balance = 0 AND accounts.is_unmetered = 0',
  operator: "accounts.role = 'operator'",
  treasurer: "accounts.role = 'treasurer'",
  auditor: "accounts.role = 'auditor'",
  team: "accounts.kind = 'team'",
}

const source = {
  ...accountSource,
  columns: `${accountSource.columns},
    (SELECT max(usage.created) FROM usage WHERE usage.account_id = accounts.id) AS lastUsedMs,
    (SELECT coalesce(sum(charged), 0) FROM usage_days
     WHERE usage_days.account_id = accounts.id AND day > :sinceDay) AS spent30DaysNanoUsd`,
}

const spentDays = 30

/** Lists accounts with their latest activity, the newest account first. Throws UnknownRowError. */
export function listAccounts(
  database: Database,
  nowMs: number,
  { search, state, ...page }: AccountQuery,
): ListedAccount[] {
  const found = ['accounts.email', 'accounts.name'].map((column) => `${column} LIKE :pattern ESCAPE '\\'`)
  const rows = latestRows<StoredAccount & Lately>(database, source, {
    ...page,
    conditions: [
      ...(search === undefined ? [] : [`(${found.join(' OR ')} OR accounts.id = :search)`]),
      ...(state === undefined ? [] : [conditions[state]]),
    ],
    values: {
      sinceDay: Math.floor(nowMs / dayMs) - spentDays,
      ...(search !== undefined && { pattern: partPattern(search), search }),
    },
  })
  return rows.map((row) => ({ ...row, ...toAccount(row) }))
}

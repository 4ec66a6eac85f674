import type { Database } from 'bun:sqlite'
import type { UsageTotals } from '../core/usage.ts'
import { type Bindings, bound } from '../db/rows.ts'

export const usageGroupings = ['day', 'model', 'key', 'account'] as const
export type UsageGrouping = (typeof usageGroupings)[number]

export interface UsageQuery {
  readonly by: UsageGrouping
  /** From this time on, milliseconds UTC. */
  readonly fromMs?: number | undefined
  /** Before this time. */
  readonly toMs?: number | undefined
  /** Of one account; undefined: of all. */
  readonly accountId?: string | undefined
}

interface Grouping {
  readonly group: string
  readonly label: string
  readonly join: string
  readonly order: string
}

/** Chosen by name: no text of a client gets into SQL. */
const groupings: Readonly<Record<UsageGrouping, Grouping>> = {
  day: { group: "strftime('%Y-%m-%d', usage.created / 1000, 'unixepoch')", label: 'NULL', join: '', order: '1' },
  model: { group: 'usage.model', label: 'NULL', join: '', order: 'costNanoUsd DESC, 1' },
  key: {
    group: 'usage.key_id',
    label: 'api_keys.name',
    join: 'JOIN api_keys ON api_keys.id = usage.key_id',
    order: 'costNanoUsd DESC, 1',
  },
  account: {
    group: 'usage.account_id',
    label: 'coalesce(accounts.email, accounts.name)',
    join: 'JOIN accounts ON accounts.id = usage.account_id',
    order: 'costNanoUsd DESC, 1',
  },
}

/** Sums over the record of usage: days in order, everything else with the highest cost first. */
export function sumUsage(database: Database, { by, fromMs, toMs, accountId }: UsageQuery): UsageTotals[] {
  const { group, label, join, order } = groupings[by]
  return database
    .query<UsageTotals & { readonly label: string | null }, [Bindings]>(
      `SELECT ${group} AS "group", ${label} AS label, count(*) AS requests, sum(prompt_tokens) AS promptTokens,
         sum(cached_tokens) AS cachedTokens, sum(completion_tokens) AS completionTokens,
         sum(reasoning_tokens) AS reasoningTokens, sum(characters) AS characters, sum(audio_ms) AS audioMs,
         sum(cost) AS costNanoUsd, sum(charged) AS chargedNanoUsd
       FROM usage ${join}
       WHERE (:fromMs IS NULL OR usage.created >= :fromMs) AND (:toMs IS NULL OR usage.created < :toMs)
         AND (:accountId IS NULL OR usage.account_id = :accountId)
       GROUP BY 1 ORDER BY ${order}`,
    )
    .all(bound({ fromMs, toMs, accountId }))
    .map((row) => ({ ...row, label: row.label ?? undefined }))
}

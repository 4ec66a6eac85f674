import type { Database } from 'bun:sqlite'
import type { UsageTotals } from '../core/usage.ts'

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
  model: { group: 'usage.model', label: 'NULL', join: '', order: 'cost DESC, 1' },
  key: {
    group: 'usage.key_id',
    label: 'api_keys.name',
    join: 'JOIN api_keys ON api_keys.id = usage.key_id',
    order: 'cost DESC, 1',
  },
  account: {
    group: 'usage.account_id',
    label: 'coalesce(accounts.email, accounts.name)',
    join: 'JOIN accounts ON accounts.id = usage.account_id',
    order: 'cost DESC, 1',
  },
}

interface StoredTotals {
  group_id: string
  label: string | null
  requests: number
  prompt: number
  cached: number
  completion: number
  reasoning: number
  characters: number
  audio_ms: number
  cost: number
  charged: number
}

/** Sums over the record of usage: days in order, everything else with the highest cost first. */
export class UsageReport {
  readonly #database: Database

  constructor({ database }: { readonly database: Database }) {
    this.#database = database
  }

  totals({ by, fromMs, toMs, accountId }: UsageQuery): UsageTotals[] {
    const { group, label, join, order } = groupings[by]
    const filter = { from: fromMs ?? null, to: toMs ?? null, accountId: accountId ?? null }
    return this.#database
      .query<StoredTotals, [typeof filter]>(
        `SELECT ${group} AS group_id, ${label} AS label, count(*) AS requests, sum(prompt_tokens) AS prompt,
           sum(cached_tokens) AS cached, sum(completion_tokens) AS completion, sum(reasoning_tokens) AS reasoning,
           sum(characters) AS characters, sum(audio_ms) AS audio_ms, sum(cost) AS cost, sum(charged) AS charged
         FROM usage ${join}
         WHERE (:from IS NULL OR usage.created >= :from) AND (:to IS NULL OR usage.created < :to)
           AND (:accountId IS NULL OR usage.account_id = :accountId)
         GROUP BY group_id ORDER BY ${order}`,
      )
      .all(filter)
      .map((row) => ({
        group: row.group_id,
        label: row.label ?? undefined,
        requests: row.requests,
        promptTokens: row.prompt,
        cachedTokens: row.cached,
        completionTokens: row.completion,
        reasoningTokens: row.reasoning,
        characters: row.characters,
        audioMs: row.audio_ms,
        costNanoUsd: row.cost,
        chargedNanoUsd: row.charged,
      }))
  }
}

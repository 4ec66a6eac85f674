import type { Database } from 'bun:sqlite'
import { dayMs } from '../core/durations.ts'
import {
  type GroupedUsage,
  nothingConsumed,
  plusUse,
  type UsageGrouping,
  type UsageMeasure,
  type UsageReport,
  type UsageTotals,
} from '../core/usage.ts'
import { type Bindings, bound } from '../db/rows.ts'
import { type UsageRange, usageRows, wholeDays } from './usage-days.ts'

export interface UsageQuery extends UsageRange {
  /** One or two groupings. */
  readonly by: readonly UsageGrouping[]
  /** Measure by which rows are sorted, largest first. Defaults to the cost. */
  readonly measure?: UsageMeasure | undefined
  /** Number of models, keys or accounts with a separate row. The others share one with an empty id. */
  readonly limit?: number | undefined
}

interface Grouping {
  readonly column: string
  /** Returns SQL for the display name of the column's value. */
  readonly labelOf: (column: string) => string
}

const unlabelled = () => 'NULL'
const addressOf = (id: string) => `(SELECT coalesce(email, name) FROM accounts WHERE id = ${id})`

/** SQL per grouping, so that no client's text gets into SQL. */
const groupings: Readonly<Record<UsageGrouping, Grouping>> = {
  day: { column: 'day', labelOf: unlabelled },
  model: { column: 'model', labelOf: unlabelled },
  key: { column: 'key_id', labelOf: (id) => `(SELECT name FROM api_keys WHERE id = ${id})` },
  // Keys of persons have no holder but their account.
  holder: {
    column: 'coalesce((SELECT holder_id FROM api_keys WHERE id = key_id), account_id)',
    labelOf: addressOf,
  },
  account: { column: 'account_id', labelOf: addressOf },
}

const ownerOf = (keyId: string) =>
  `(SELECT coalesce(email, accounts.name) FROM api_keys JOIN accounts ON accounts.id = account_id WHERE api_keys.id = ${keyId})`

const measures: Readonly<Record<UsageMeasure, string>> = {
  cost: 'sum(cost)',
  requests: 'sum(requests)',
  tokens: 'sum(prompt_tokens + completion_tokens)',
  audio: 'sum(audio_ms)',
}

type Row = UsageTotals &
  Readonly<Record<`id${number}`, string | number> & Record<`label${number}`, string | null>> & {
    /** Account of the key, only in reports of all accounts. Null without a key. */
    readonly owner?: string | null
  }

/** Sums recorded usage. Rows are ordered by day, then by the measure, largest first. */
export function sumUsage(database: Database, query: UsageQuery): UsageReport {
  const { by, measure: _, ...values } = query
  const rows = database
    .query<Row, [Bindings]>(sqlOf(query))
    .all(bound({ ...values, ...wholeDays(query) }))
    .map((row) => toGrouped(row, by))
  return { rows, total: rows.reduce<UsageTotals>(plus, nothingUsed) }
}

/** Returns the SQL. Names are looked up after grouping: once per key, not once per request. */
function sqlOf({ by, limit, measure = 'cost', ...range }: UsageQuery): string {
  const columns = by.map((name, index) => {
    const { column } = groupings[name]
    if (limit === undefined || name === 'day') return `${column} AS id${index}`
    const top = `SELECT ${column} FROM used GROUP BY 1 ORDER BY ${measures[measure]} DESC, 1 LIMIT :limit`
    return `CASE WHEN ${column} IN (${top}) THEN ${column} ELSE '' END AS id${index}`
  })
  const labels = by.flatMap((name, index) => [
    `${groupings[name].labelOf(`id${index}`)} AS label${index}`,
    ...(name === 'key' && range.accountId === undefined ? [`${ownerOf(`id${index}`)} AS owner`] : []),
  ])
  const ids = by.map((_, index) => `id${index}`)
  const day = by.indexOf('day')
  return `WITH used AS (${usageRows(range)})
    SELECT *, ${labels.join(', ')} FROM (
      SELECT ${columns.join(', ')}, sum(requests) AS requests, sum(prompt_tokens) AS promptTokens,
        sum(cached_tokens) AS cachedTokens, sum(completion_tokens) AS completionTokens,
        sum(reasoning_tokens) AS reasoningTokens, sum(characters) AS characters, sum(audio_ms) AS audioMs,
        sum(images) AS images, sum(cost) AS costNanoUsd, sum(charged) AS chargedNanoUsd, sum(estimated_requests) AS estimatedRequests,
        sum(estimated_cost) AS estimatedCostNanoUsd, ${measures[measure]} AS rank
      FROM used GROUP BY ${ids.join(', ')}
    ) ORDER BY ${[...(day < 0 ? [] : [`id${day}`]), 'rank DESC', ...ids].join(', ')}`
}

function toGrouped(row: Row, by: UsageQuery['by']): GroupedUsage {
  const groups = by.map((name, index) => {
    const id = row[`id${index}`] ?? ''
    const label = row[`label${index}`] ?? null
    const owner = name === 'key' && row.owner !== undefined ? { owner: row.owner } : {}
    return { by: name, id: typeof id === 'number' ? dayText(id) : id, label, ...owner }
  })
  return { groups, ...plus(row, nothingUsed) }
}

function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

const nothingUsed: UsageTotals = {
  requests: 0,
  ...nothingConsumed,
  costNanoUsd: 0,
  chargedNanoUsd: 0,
  estimatedRequests: 0,
  estimatedCostNanoUsd: 0,
}

function plus(a: UsageTotals, b: UsageTotals): UsageTotals {
  return {
    ...plusUse(a, b),
    requests: a.requests + b.requests,
    costNanoUsd: a.costNanoUsd + b.costNanoUsd,
    chargedNanoUsd: a.chargedNanoUsd + b.chargedNanoUsd,
    estimatedRequests: a.estimatedRequests + b.estimatedRequests,
    estimatedCostNanoUsd: a.estimatedCostNanoUsd + b.estimatedCostNanoUsd,
  }
}

import { hourMs } from '../core/durations.ts'
import { Store } from '../db/rows.ts'
import { usageRows, wholeDays } from './usage-days.ts'

const hours = 30 * 24
/** Time for which sums are cached: summing over many requests is slow. */
const keptMs = 60_000
/** Most requests read for times to the first output. If there are more, only every nth is read. */
const maximumSamples = 50_000
const maximumKept = 50

interface HourlyRows {
  readonly stepMs: number
  readonly fromMs: number
  /** Rows per hour. Null without requests. */
  readonly rows: readonly (readonly number[] | null)[]
}

interface Hour {
  readonly hour: number
  readonly outputTokens: number
  readonly promptTokens: number
  readonly runningMs: number
  readonly waitedMs: number
  readonly failed: number
}

/** Paid requests of the last 30 days by the hour (UTC). */
export class UsageHistory extends Store {
  readonly #kept = new Map<string, { readonly atMs: number; readonly rows: HourlyRows }>()

  /**
   * Returns one row per hour with the columns of the live figures: tokens per second, parallel requests, errors per
   * minute; or for `latency` p50, p95 and count.
   */
  read(kind: 'rates' | 'engine' | 'latency', nowMs: number, model?: string): HourlyRows {
    const name = `${kind}\n${model ?? ''}`
    const kept = this.#kept.get(name)
    if (kept !== undefined && Math.abs(nowMs - kept.atMs) < keptMs) return kept.rows
    const last = Math.floor(nowMs / hourMs)
    const first = last - hours + 1
    const found = kind === 'latency' ? this.#latencies(first) : this.#loads(first, kind, model)
    const rows: HourlyRows = {
      stepMs: hourMs,
      fromMs: first * hourMs,
      rows: Array.from({ length: hours }, (_, index) => found.get(first + index) ?? null),
    }
    if (this.#kept.size >= maximumKept) this.#kept.clear()
    this.#kept.set(name, { atMs: nowMs, rows })
    return rows
  }

  #loads(first: number, kind: 'rates' | 'engine', model: string | undefined): Map<number, number[]> {
    const sql = `SELECT created / ${hourMs} AS hour, sum(completion_tokens) AS outputTokens,
        sum(prompt_tokens - cached_tokens) AS promptTokens, sum(ifnull(running_ms, 0)) AS runningMs,
        sum(ifnull(queued_ms, 0) + ifnull(loading_ms, 0)) AS waitedMs, sum(finish = 'failed') AS failed
      FROM usage WHERE created >= :fromMs ${model === undefined ? '' : 'AND model = :model'} GROUP BY 1`
    const values = { fromMs: first * hourMs, ...(model !== undefined && { model }) }
    return new Map(
      this.all<Hour>(sql, values).map(({ hour, outputTokens, promptTokens, runningMs, waitedMs, failed }) => {
        const load = [outputTokens / 3600, promptTokens / 3600, runningMs / hourMs, waitedMs / hourMs]
        return [hour, kind === 'rates' ? [...load, failed / 60] : load]
      }),
    )
  }

  #latencies(first: number): Map<number, number[]> {
    const fromMs = first * hourMs
    const count = this.first<{ count: number }>('SELECT count(*) AS count FROM usage WHERE created >= :fromMs', {
      fromMs,
    })
    const every = Math.max(1, Math.ceil((count?.count ?? 0) / maximumSamples))
    const sql = `SELECT created / ${hourMs} AS hour, first_output_ms AS ms FROM usage
      WHERE created >= :fromMs AND first_output_ms IS NOT NULL AND rowid % :every = 0 ORDER BY ms`
    const samples = this.all<{ hour: number; ms: number }>(sql, { fromMs, every })
    return new Map(
      [...Map.groupBy(samples, ({ hour }) => hour)].map(([hour, sorted]) => {
        const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]?.ms ?? 0
        return [hour, [at(0.5), at(0.95), sorted.length * every]]
      }),
    )
  }
}

/** Recent and current spending of accounts. */
export class Spending extends Store {
  /** Returns the amount taken from an account's balance for requests since a time. */
  chargedSince(accountId: string, sinceMs: number): number {
    const range = { accountId, fromMs: sinceMs }
    const sql = `SELECT coalesce(sum(charged), 0) AS charged FROM (${usageRows(range)})`
    return this.first<{ charged: number }>(sql, { ...range, ...wholeDays(range) })?.charged ?? 0
  }

  /** Returns the cost of requests per key of an account since a time. Keys without requests are left out. */
  costOfKeysSince(accountId: string, sinceMs: number): ReadonlyMap<string, number> {
    const range = { accountId, fromMs: sinceMs }
    const sql = `SELECT key_id AS keyId, sum(cost) AS cost FROM (${usageRows(range)}) GROUP BY key_id`
    const rows = this.all<{ keyId: string; cost: number }>(sql, { ...range, ...wholeDays(range) })
    return new Map(rows.map(({ keyId, cost }) => [keyId, cost]))
  }

  /** Returns the number of running requests that hold an account's money. Each has one hold. */
  runningRequests(accountId: string): number {
    const sql = 'SELECT count(*) AS count FROM holds WHERE account_id = :accountId'
    return this.first<{ count: number }>(sql, { accountId })?.count ?? 0
  }
}

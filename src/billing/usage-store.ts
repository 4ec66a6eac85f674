import type { Statement } from 'bun:sqlite'
import type { Pricing } from '../core/model.ts'
import type { Consumption } from '../core/usage.ts'
import { type AccountPage, type Bindings, bound, findRow, latestRows, Store, type StoreOptions } from '../db/rows.ts'
import { dayMs } from './usage-days.ts'

/** Usage and cost of one paid request. */
export interface UsageEntry {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  /** Path of the endpoint below /v1, e.g. `chat/completions`. */
  readonly endpoint: string
  /** Canonical id. */
  readonly model: string
  readonly used: Consumption
  /** Prices that were applied. */
  readonly pricing: Pricing
  /** The cost at these prices. */
  readonly costNanoUsd: number
  /** Amount taken from the balance: the cost, or 0 for unmetered accounts. */
  readonly chargedNanoUsd: number
  /** A hold was taken for it. */
  readonly isMetered: boolean
  /** Amount held when it ended. */
  readonly heldNanoUsd?: number | undefined
  readonly finish: UsageFinish
  /** `used` was not counted by an engine. Absent: it was. */
  readonly isEstimated?: boolean | undefined
  readonly queuedMs?: number | undefined
  readonly loadingMs?: number | undefined
  readonly runningMs?: number | undefined
  /** Time from arrival to first output, for answers that come in parts. */
  readonly firstOutputMs?: number | undefined
}

/**
 * End of a paid request. `length`: at its own limit, the model's or the context's; `repetition`: it only repeated
 * itself; `out_of_balance`: the account could not pay for more; `client_disconnect`: charged for what was computed until
 * then; `failed`: our fault, nothing is charged.
 */
export type UsageFinish =
  | 'stop'
  | 'length'
  | 'repetition'
  | 'tool_calls'
  | 'out_of_balance'
  | 'client_disconnect'
  | 'failed'

export interface UsageRow extends Omit<UsageEntry, 'isMetered'> {
  readonly isEstimated: boolean
  readonly keyName: string | undefined
  readonly createdMs: number
}

type StoredUsage = Omit<UsageRow, 'used' | 'pricing' | 'isEstimated'> &
  Consumption & { readonly prices: string; readonly estimated: number }

const source = {
  table: 'usage',
  columns: `request_id AS requestId, account_id AS accountId, key_id AS keyId, endpoint, model,
    prompt_tokens AS promptTokens, cached_tokens AS cachedTokens, completion_tokens AS completionTokens,
    reasoning_tokens AS reasoningTokens, characters, audio_ms AS audioMs, prices, cost AS costNanoUsd,
    charged AS chargedNanoUsd, finish, queued_ms AS queuedMs, loading_ms AS loadingMs, running_ms AS runningMs,
    first_output_ms AS firstOutputMs, held AS heldNanoUsd, estimated, created AS createdMs,
    (SELECT name FROM api_keys WHERE id = usage.key_id) AS keyName`,
  id: 'request_id',
  order: 'created',
} as const

const durationSql = 'ifnull(usage.queued_ms, 0) + ifnull(usage.loading_ms, 0) + ifnull(usage.running_ms, 0)'

/** Filter of requests; an absent field matches any. */
export interface UsagePage extends AccountPage {
  readonly keyId?: string | undefined
  readonly model?: string | undefined
  readonly endpoint?: string | undefined
  /** It failed by our own fault, and nothing was charged. */
  readonly hasFailed?: boolean | undefined
  /** Time from arrival to end. */
  readonly slowerThanMs?: number | undefined
  /** Ended at this time or later, milliseconds UTC. */
  readonly fromMs?: number | undefined
  /** Ended before this time. */
  readonly toMs?: number | undefined
}

/** The record of what requests used. */
export class UsageStore extends Store {
  readonly #insert: Statement<unknown, [Bindings]>

  constructor(options: StoreOptions) {
    super(options)
    this.#insert = this.database.prepare(
      `INSERT INTO usage (request_id, account_id, key_id, endpoint, model, prompt_tokens, cached_tokens,
         completion_tokens, reasoning_tokens, characters, audio_ms, prices, cost, charged, finish, queued_ms,
         loading_ms, running_ms, first_output_ms, held, estimated, created)
       VALUES (:requestId, :accountId, :keyId, :endpoint, :model, :promptTokens, :cachedTokens, :completionTokens,
         :reasoningTokens, :characters, :audioMs, :prices, :costNanoUsd, :chargedNanoUsd, :finish, :queuedMs, :loadingMs,
         :runningMs, :firstOutputMs, :heldNanoUsd, :isEstimated, :createdMs)`,
    )
  }

  /** Call it within the transaction that charges. Throws on a second row for the same request. */
  insert(entry: UsageEntry): void {
    const { used, pricing, isMetered: _, queuedMs, loadingMs, runningMs, firstOutputMs, ...fields } = entry
    const times = {
      queuedMs: wholeMs(queuedMs),
      loadingMs: wholeMs(loadingMs),
      runningMs: wholeMs(runningMs),
      firstOutputMs: wholeMs(firstOutputMs),
    }
    const whole = { ...used, audioMs: Math.ceil(used.audioMs), prices: JSON.stringify(pricing), ...times }
    this.#insert.run(
      bound({ heldNanoUsd: undefined, isEstimated: false, ...fields, ...whole, createdMs: this.clock() }),
    )
  }

  /** Records that the charge of a request was given back: the answer never had its end. Call it within the transaction that gives it back. */
  giveBack(requestId: string): void {
    const values = { requestId }
    this.write(
      `UPDATE usage_days SET charged = usage_days.charged - usage.charged FROM usage
       WHERE usage.request_id = :requestId AND usage_days.account_id = usage.account_id
         AND usage_days.day = usage.created / ${dayMs} AND usage_days.key_id = usage.key_id
         AND usage_days.model = usage.model`,
      values,
    )
    this.write("UPDATE usage SET charged = 0, finish = 'failed' WHERE request_id = :requestId", values)
  }

  /** The record of one request. */
  find(requestId: string): UsageRow | undefined {
    const row = findRow<StoredUsage>(this.database, source, { request_id: requestId })
    return row && toRow(row)
  }

  /** Requests, the latest first. */
  list(wanted: UsagePage = {}): UsageRow[] {
    const { accountId, keyId, model, endpoint, hasFailed, slowerThanMs, fromMs, toMs, ...page } = wanted
    const ofKey = keyId !== undefined
    const filter = { account_id: ofKey ? undefined : accountId, key_id: keyId, model, endpoint }
    const conditions = [
      // A key has one account: `+` has the rows of the key searched, not those of the account.
      ...(ofKey && accountId !== undefined ? ['+usage.account_id = :accountId'] : []),
      ...(hasFailed === undefined ? [] : [`usage.finish ${hasFailed ? '=' : '<>'} 'failed'`]),
      ...(slowerThanMs === undefined ? [] : [`${durationSql} > :slowerThanMs`]),
      ...(fromMs === undefined ? [] : ['usage.created >= :fromMs']),
      ...(toMs === undefined ? [] : ['usage.created < :toMs']),
    ]
    const values = bound({ slowerThanMs, fromMs, toMs, accountId })
    return latestRows<StoredUsage>(this.database, source, { ...page, filter, conditions, values }).map(toRow)
  }

  /** Prompt and answer tokens of the latest requests to a model, the oldest first. */
  latestTokens(model: string, count: number): number[] {
    const sql = `SELECT prompt_tokens + completion_tokens AS tokens FROM usage
      WHERE model = :model ORDER BY created DESC LIMIT :count`
    return this.all<{ tokens: number }>(sql, { model, count })
      .map(({ tokens }) => tokens)
      .reverse()
  }

  /** When each model was last paid for, also where that was free: milliseconds UTC by canonical id. */
  lastUses(): Record<string, number> {
    // The index leads from model to model: grouping would read the record of each request.
    const sql = `WITH RECURSIVE models (model) AS (
        SELECT min(model) FROM usage
        UNION ALL SELECT (SELECT min(model) FROM usage WHERE usage.model > models.model) FROM models WHERE model IS NOT NULL)
      SELECT model, (SELECT max(created) FROM usage WHERE usage.model = models.model) AS createdMs
      FROM models WHERE model IS NOT NULL`
    const rows = this.all<{ model: string; createdMs: number }>(sql)
    return Object.fromEntries(rows.map(({ model, createdMs }) => [model, createdMs]))
  }
}

function wholeMs(ms: number | undefined): number | undefined {
  return ms && Math.round(ms)
}

function toRow(stored: StoredUsage): UsageRow {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens, characters, audioMs, ...rest } = stored
  const { prices, estimated, ...row } = rest
  const used = { promptTokens, cachedTokens, completionTokens, reasoningTokens, characters, audioMs }
  return { ...row, used, isEstimated: estimated === 1, pricing: JSON.parse(prices) as Pricing } // written by `insert`
}

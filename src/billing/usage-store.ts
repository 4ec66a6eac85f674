import type { Statement } from 'bun:sqlite'
import { dayMs } from '../core/durations.ts'
import type { Pricing } from '../core/model.ts'
import type { PaidRequestRecord, StoredRequestRecord } from '../core/request-record.ts'
import type { Consumption } from '../core/usage.ts'
import { type AccountPage, type Bindings, bound, findRow, latestRows, Store, type StoreOptions } from '../db/rows.ts'
import type { Payer } from './budgets.ts'

/** Row of the usage table. */
interface UsageRow
  extends Consumption,
    Omit<
      StoredRequestRecord,
      'used' | 'pricing' | 'isEstimated' | 'isMetered' | 'state' | 'arrivedAtMs' | 'durationMs'
    > {
  readonly prices: string
  readonly estimated: number
}

const source = {
  table: 'usage',
  columns: `request_id AS requestId, account_id AS accountId, key_id AS keyId, endpoint, model,
    prompt_tokens AS promptTokens, cached_tokens AS cachedTokens, completion_tokens AS completionTokens,
    reasoning_tokens AS reasoningTokens, characters, audio_ms AS audioMs, images, searches, prices, cost AS costNanoUsd,
    charged AS chargedNanoUsd, finish, queued_ms AS queuedMs, loading_ms AS loadingMs, running_ms AS runningMs,
    first_output_ms AS firstOutputMs, held AS heldNanoUsd, estimated, created AS createdMs,
    (SELECT name FROM api_keys WHERE id = usage.key_id) AS keyName`,
  id: 'request_id',
  order: 'created',
} as const

const durationSql = 'ifnull(usage.queued_ms, 0) + ifnull(usage.loading_ms, 0) + ifnull(usage.running_ms, 0)'

/** Filter of requests; an absent field matches any. */
interface UsagePage extends AccountPage {
  readonly keyId?: string | undefined
  /** Member who holds a team's keys */
  readonly holderId?: string | undefined
  readonly model?: string | undefined
  readonly endpoint?: string | undefined
  /** True if the request failed by our own fault, so that nothing was charged. */
  readonly hasFailed?: boolean | undefined
  /** Minimum time from arrival to end, exclusive. */
  readonly slowerThanMs?: number | undefined
  /** Earliest end of a request, milliseconds UTC. */
  readonly fromMs?: number | undefined
  /** Time before which a request ended, milliseconds UTC. */
  readonly toMs?: number | undefined
}

/** Payer of an ended request, with its tokens as limits count them. */
interface EndedUse extends Payer {
  readonly tokens: number
  /** Milliseconds UTC. */
  readonly endedMs: number
}

/** Records of paid requests. */
export class UsageStore extends Store {
  readonly #insert: Statement<unknown, [Bindings]>

  constructor(options: StoreOptions) {
    super(options)
    this.#insert = this.database.prepare(
      `INSERT INTO usage (request_id, account_id, key_id, endpoint, model, prompt_tokens, cached_tokens,
         completion_tokens, reasoning_tokens, characters, audio_ms, images, searches, prices, cost, charged, finish, queued_ms,
         loading_ms, running_ms, first_output_ms, held, estimated, created)
       VALUES (:requestId, :accountId, :keyId, :endpoint, :model, :promptTokens, :cachedTokens, :completionTokens,
         :reasoningTokens, :characters, :audioMs, :images, :searches, :prices, :costNanoUsd, :chargedNanoUsd, :finish, :queuedMs, :loadingMs,
         :runningMs, :firstOutputMs, :heldNanoUsd, :isEstimated, :createdMs)`,
    )
  }

  /** Inserts a record. Call it within the transaction that charges. Throws on a second row for the same request. */
  insert(record: PaidRequestRecord): void {
    const { requestId, accountId, keyId, endpoint, model, used, pricing, costNanoUsd, chargedNanoUsd, finish } = record
    this.#insert.run(
      bound({
        ...{ requestId, accountId, keyId, endpoint, model, costNanoUsd, chargedNanoUsd, finish },
        ...used,
        audioMs: Math.ceil(used.audioMs),
        searches: used.searches ?? 0,
        prices: JSON.stringify(pricing),
        queuedMs: wholeMs(record.queuedMs),
        loadingMs: wholeMs(record.loadingMs),
        runningMs: wholeMs(record.runningMs),
        firstOutputMs: wholeMs(record.firstOutputMs),
        heldNanoUsd: record.heldNanoUsd,
        isEstimated: record.isEstimated,
        createdMs: this.clock(),
      }),
    )
  }

  /**
   * Records that a request's charge was refunded because its answer stayed incomplete. Call it within the transaction
   * that refunds it.
   */
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

  find(requestId: string): StoredRequestRecord | undefined {
    const row = findRow<UsageRow>(this.database, source, { request_id: requestId })
    return row && toRecord(row)
  }

  /** Lists requests, the latest first. */
  list(wanted: UsagePage = {}): StoredRequestRecord[] {
    const { accountId, keyId, holderId, model, endpoint, hasFailed, slowerThanMs, fromMs, toMs, ...page } = wanted
    const ofKey = keyId !== undefined
    const filter = { account_id: ofKey ? undefined : accountId, key_id: keyId, model, endpoint }
    const conditions = [
      // `+` makes SQLite search the rows of the key, which belongs to one account, and not the account's.
      ...(ofKey && accountId !== undefined ? ['+usage.account_id = :accountId'] : []),
      ...(holderId === undefined ? [] : ['usage.key_id IN (SELECT id FROM api_keys WHERE holder_id = :holderId)']),
      ...(hasFailed === undefined ? [] : [`usage.finish ${hasFailed ? '=' : '<>'} 'failed'`]),
      ...(slowerThanMs === undefined ? [] : [`${durationSql} > :slowerThanMs`]),
      ...(fromMs === undefined ? [] : ['usage.created >= :fromMs']),
      ...(toMs === undefined ? [] : ['usage.created < :toMs']),
    ]
    const values = bound({ slowerThanMs, fromMs, toMs, accountId, holderId })
    return latestRows<UsageRow>(this.database, source, { ...page, filter, conditions, values }).map(toRecord)
  }

  /** Returns payers and computed tokens of the requests that ended within a time, the oldest first. */
  endedWithin({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): EndedUse[] {
    const sql = `SELECT usage.account_id AS accountId, key_id AS keyId, holder_id AS holderId,
        prompt_tokens - cached_tokens + completion_tokens AS tokens, usage.created AS endedMs
      FROM usage JOIN api_keys ON api_keys.id = key_id
      WHERE usage.created > :fromMs AND usage.created <= :toMs ORDER BY usage.created`
    return this.all<EndedUse & { holderId: string | null }>(sql, { fromMs, toMs }).map((row) => ({
      ...row,
      holderId: row.holderId ?? undefined,
    }))
  }

  /** Returns prompt and answer tokens of the latest requests to a model, the oldest first. */
  latestTokens(model: string, count: number): number[] {
    const sql = `SELECT prompt_tokens + completion_tokens AS tokens FROM usage
      WHERE model = :model ORDER BY created DESC LIMIT :count`
    return this.all<{ tokens: number }>(sql, { model, count })
      .map(({ tokens }) => tokens)
      .reverse()
  }

  /** Returns each model's last paid request, including free ones: milliseconds UTC by canonical id. */
  lastUses(): Record<string, number> {
    // Steps from model to model in the index. Grouping would read the record of each request.
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

function toRecord(row: UsageRow): StoredRequestRecord {
  const {
    promptTokens,
    cachedTokens,
    completionTokens,
    reasoningTokens,
    characters,
    audioMs,
    images,
    searches,
    ...rest
  } = row
  const { prices, estimated, ...facts } = rest
  const durationMs = (facts.loadingMs ?? facts.queuedMs ?? 0) + (facts.runningMs ?? 0)
  return {
    ...facts,
    state: 'ended',
    arrivedAtMs: facts.createdMs - durationMs,
    durationMs,
    used: {
      promptTokens,
      cachedTokens,
      completionTokens,
      reasoningTokens,
      characters,
      audioMs,
      images,
      ...(searches !== 0 && { searches }),
    },
    isEstimated: estimated === 1,
    isMetered: facts.heldNanoUsd !== undefined,
    pricing: JSON.parse(prices) as Pricing, // written by `insert`
  }
}

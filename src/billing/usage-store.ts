import type { Database, Statement } from 'bun:sqlite'
import type { Pricing } from '../core/model.ts'
import type { Consumption } from '../core/usage.ts'
import { latestRows, type Page } from '../db/latest-rows.ts'

/** What one paid request came to. */
export interface UsageEntry {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  /** Path of the endpoint below /v1, e.g. `chat/completions`. */
  readonly endpoint: string
  /** Canonical id. */
  readonly model: string
  readonly used: Consumption
  /** As applied. */
  readonly pricing: Pricing
  /** What it is worth at these prices. */
  readonly costNanoUsd: number
  /** What is taken from the balance: the cost, or 0 for unmetered accounts. */
  readonly chargedNanoUsd: number
  /** A hold was taken for it. */
  readonly isMetered: boolean
  readonly finish: UsageFinish
  readonly queuedMs?: number | undefined
  readonly loadingMs?: number | undefined
  readonly runningMs?: number | undefined
}

/**
 * How a paid request ended. `length`: at its own limit, the model's or the context's; `repetition`: it only repeated
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
  readonly createdMs: number
}

interface StoredRow {
  request_id: string
  account_id: string
  key_id: string
  endpoint: string
  model: string
  prompt_tokens: number
  cached_tokens: number
  completion_tokens: number
  reasoning_tokens: number
  characters: number
  audio_ms: number
  prices: string
  cost: number
  charged: number
  finish: UsageFinish
  queued_ms: number | null
  loading_ms: number | null
  running_ms: number | null
  created: number
}

/** The record of what requests used. */
export class UsageStore {
  readonly #database: Database
  readonly #clock: () => number
  readonly #insert: Statement<unknown, [Record<string, string | number | null>]>

  constructor({ database, clock }: { readonly database: Database; readonly clock: () => number }) {
    this.#database = database
    this.#clock = clock
    this.#insert = database.prepare(
      `INSERT INTO usage (request_id, account_id, key_id, endpoint, model, prompt_tokens, cached_tokens,
         completion_tokens, reasoning_tokens, characters, audio_ms, prices, cost, charged, finish, queued_ms,
         loading_ms, running_ms, created)
       VALUES (:requestId, :accountId, :keyId, :endpoint, :model, :promptTokens, :cachedTokens, :completionTokens,
         :reasoningTokens, :characters, :audioMs, :prices, :cost, :charged, :finish, :queuedMs, :loadingMs, :runningMs,
         :created)`,
    )
  }

  /** Call it within the transaction that charges. Throws on a second row for the same request. */
  insert(entry: UsageEntry): void {
    const { requestId, accountId, keyId, endpoint, model, used, finish } = entry
    this.#insert.run({
      requestId,
      accountId,
      keyId,
      endpoint,
      model,
      promptTokens: used.promptTokens,
      cachedTokens: used.cachedTokens,
      completionTokens: used.completionTokens,
      reasoningTokens: used.reasoningTokens,
      characters: used.characters,
      audioMs: Math.ceil(used.audioMs),
      prices: JSON.stringify(entry.pricing),
      cost: entry.costNanoUsd,
      charged: entry.chargedNanoUsd,
      finish,
      queuedMs: wholeMs(entry.queuedMs),
      loadingMs: wholeMs(entry.loadingMs),
      runningMs: wholeMs(entry.runningMs),
      created: this.#clock(),
    })
  }

  /** The record of one request. */
  find(requestId: string): UsageRow | undefined {
    const row = this.#database.query<StoredRow, [string]>('SELECT * FROM usage WHERE request_id = ?').get(requestId)
    return row === null ? undefined : toRow(row)
  }

  /** Requests, or those of one account, the latest first. */
  list({ accountId, ...page }: Page & { readonly accountId?: string | undefined } = {}): UsageRow[] {
    const where = { account_id: accountId }
    const list = { table: 'usage', select: 'SELECT * FROM usage', id: 'request_id', order: 'created', where } as const
    return latestRows<StoredRow>(this.#database, list, page).map(toRow)
  }
}

function wholeMs(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms)
}

function toRow(row: StoredRow): UsageRow {
  return {
    requestId: row.request_id,
    accountId: row.account_id,
    keyId: row.key_id,
    endpoint: row.endpoint,
    model: row.model,
    used: {
      promptTokens: row.prompt_tokens,
      cachedTokens: row.cached_tokens,
      completionTokens: row.completion_tokens,
      reasoningTokens: row.reasoning_tokens,
      characters: row.characters,
      audioMs: row.audio_ms,
    },
    pricing: JSON.parse(row.prices) as Pricing, // written by `insert`
    costNanoUsd: row.cost,
    chargedNanoUsd: row.charged,
    finish: row.finish,
    queuedMs: row.queued_ms ?? undefined,
    loadingMs: row.loading_ms ?? undefined,
    runningMs: row.running_ms ?? undefined,
    createdMs: row.created,
  }
}

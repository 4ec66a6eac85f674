import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import type { Inferd } from './inferd.ts'

export interface RecordedUsage {
  readonly createdMs: number
  readonly costNanoUsd: number
  readonly model?: string
  readonly audioMs?: number
  readonly isEstimated?: boolean
}

/** Writes requests of the past into the record of usage, as of an account's first key. They are not charged. */
export function recordUsage({ dataDir }: Inferd, email: string, requests: readonly RecordedUsage[]): void {
  using database = new Database(join(dataDir, 'inferd.db'))
  database.run('PRAGMA busy_timeout = 5000')
  const insert = database.query(
    `INSERT INTO usage (request_id, account_id, key_id, endpoint, model, prompt_tokens, cached_tokens, completion_tokens,
       reasoning_tokens, characters, audio_ms, prices, cost, charged, finish, estimated, created)
     SELECT ?, accounts.id, api_keys.id, 'chat/completions', ?, 10, 4, 5, 0, 0, ?, '{"unit":"1M_tokens"}', ?, 0, 'stop', ?, ?
     FROM accounts JOIN api_keys ON account_id = accounts.id WHERE email = ? LIMIT 1`,
  )
  for (const { createdMs, costNanoUsd, model = 'test/one', audioMs = 0, isEstimated = false } of requests) {
    insert.run(`req_${crypto.randomUUID()}`, model, audioMs, costNanoUsd, isEstimated, createdMs, email)
  }
}

const hourMs = 60 * 60 * 1_000
export const dayMs = 24 * hourMs

/** 2026-11-22, of the UTC day that was so many days ago. */
export function dayAgo(days: number): string {
  return new Date(Date.now() - days * dayMs).toISOString().slice(0, 10)
}

/** Requests from the first to the last millisecond of a UTC day, which east and west of it lie in two days: 1,111 units. */
export function throughDay(day: string, unitNanoUsd: number): readonly RecordedUsage[] {
  const startMs = Date.parse(`${day}T00:00:00Z`)
  const times = [0, 10.9 * hourMs, 11.1 * hourMs, dayMs - 1]
  return times.map((time, index) => ({ createdMs: startMs + time, costNanoUsd: unitNanoUsd * 10 ** index }))
}

/** When a UTC day starts in a zone: "13:00". */
export function dayStartIn(timeZone: string): string {
  const midnight = new Date().setUTCHours(0, 0, 0, 0)
  return new Date(midnight).toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' })
}

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

/** Adds past requests to the record of usage, under an account's first key. They are not charged. */
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

/** Returns the UTC day that many days ago, such as 2026-11-22. */
export function dayAgo(days: number): string {
  return new Date(Date.now() - days * dayMs).toISOString().slice(0, 10)
}

/**
 * Returns four requests from the first to the last millisecond of a UTC day, which span two local days east and west
 * of UTC. Their costs are 1, 10, 100 and 1,000 units.
 */
export function throughDay(day: string, unitNanoUsd: number): readonly RecordedUsage[] {
  const startMs = Date.parse(`${day}T00:00:00Z`)
  const times = [0, 10.9 * hourMs, 11.1 * hourMs, dayMs - 1]
  return times.map((time, index) => ({ createdMs: startMs + time, costNanoUsd: unitNanoUsd * 10 ** index }))
}

/** Returns the local time at which a UTC day starts in a zone, such as "13:00". */
export function dayStartIn(timeZone: string): string {
  const midnight = new Date().setUTCHours(0, 0, 0, 0)
  return new Date(midnight).toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' })
}

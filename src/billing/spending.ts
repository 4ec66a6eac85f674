import { Store } from '../db/rows.ts'
import { usageRows, wholeDays } from './usage-days.ts'

/** What accounts spend: lately, and just now. */
export class Spending extends Store {
  /** What was taken from an account's balance for requests since then. */
  chargedSince(accountId: string, sinceMs: number): number {
    const range = { accountId, fromMs: sinceMs }
    const sql = `SELECT coalesce(sum(charged), 0) AS charged FROM (${usageRows(range)})`
    return this.first<{ charged: number }>(sql, { ...range, ...wholeDays(range) })?.charged ?? 0
  }

  /** What the requests of each of an account's keys were worth since then; a key without any is not in it. */
  costOfKeysSince(accountId: string, sinceMs: number): ReadonlyMap<string, number> {
    const range = { accountId, fromMs: sinceMs }
    const sql = `SELECT key_id AS keyId, sum(cost) AS cost FROM (${usageRows(range)}) GROUP BY key_id`
    const rows = this.all<{ keyId: string; cost: number }>(sql, { ...range, ...wholeDays(range) })
    return new Map(rows.map(({ keyId, cost }) => [keyId, cost]))
  }

  /** How many requests hold an account's money now. There are as many holds as requests that run. */
  runningRequests(accountId: string): number {
    const sql = 'SELECT count(*) AS count FROM holds WHERE account_id = :accountId'
    return this.first<{ count: number }>(sql, { accountId })?.count ?? 0
  }
}

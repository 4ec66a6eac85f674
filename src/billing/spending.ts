import { Store } from '../db/rows.ts'
import { usageRows, wholeDays } from './usage-days.ts'

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

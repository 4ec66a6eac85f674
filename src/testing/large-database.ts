/** A database after a year with many accounts, for tests and benchmarks of growing tables. */
import type { Database } from 'bun:sqlite'
import { dayMs } from '../core/durations.ts'
import { newId } from '../core/ids.ts'
import { chainEarlierRows } from '../db/audit-chain.ts'
import { openDatabase } from '../db/open-database.ts'
import { openStores } from '../operations/stores.ts'

export interface LargeDatabaseOptions {
  readonly accounts?: number
  readonly requests?: number
  readonly vouchers?: number
  readonly models?: number
  /** Number of days until now over which the requests are spread. */
  readonly days?: number
}

export interface LargeDatabase {
  /** Account with a fifth of all requests. */
  readonly busiestAccount: string
  /** Secret of a session of this account. */
  readonly session: string
}

const busiestAccount = 'acc_large0'
const priceOfPrompt = 80
const priceOfOutput = 350
const prices = JSON.stringify({
  inputNanoUsd: priceOfPrompt * 1_000_000,
  outputNanoUsd: priceOfOutput * 1_000_000,
  unit: '1M_tokens',
})

/** Fills a new database in one transaction, within seconds. Its books add up. No server may have it open. */
export function fillDatabase(path: string, options: LargeDatabaseOptions = {}): LargeDatabase {
  const { accounts = 10_000, requests = 100_000, vouchers = 10_000, models = 12, days = 365 } = options
  const database = openDatabase(path)
  // Keeps changed pages in memory until the end, since most would be written several times otherwise.
  database.run('PRAGMA cache_size = -300000')
  const stores = openStores({ database, newId, clock: Date.now })
  try {
    return database.transaction(() => {
      const now = Date.now()
      const values = { now, begin: now - days * dayMs, accounts, requests, vouchers, models, prices }
      for (const sql of statements) run(database, sql, values)
      chainEarlierRows(database)
      return { busiestAccount, session: stores.sessions.begin(busiestAccount) }
    })()
  } finally {
    stores.commits.close()
    database.close()
  }
}

function run(database: Database, sql: string, values: Record<string, string | number>): void {
  const named = Object.entries(values).filter(([name]) => new RegExp(`:${name}\\b`).test(sql))
  database.query(sql).run(Object.fromEntries(named))
}

const upTo = (count: string) =>
  `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${count})`

/** Accounts joined in the month before the first request. */
const joined = ':begin - (:accounts - n) * 250000'
/** Account of a request: a fifth belong to one account, the others mostly to the first accounts. */
const owner = `CASE WHEN n % 5 = 0 THEN 0 ELSE ((n * 7919) % :accounts) * ((n * 7919) % :accounts) / :accounts END`
const promptTokens = '(n * 31 % 4000 + 20)'
const outputTokens = '(n * 17 % 900 + 1)'
const hasFailed = '(n % 97 = 0)'
const cost = `CASE WHEN ${hasFailed} THEN 0 ELSE ${promptTokens} * ${priceOfPrompt} + ${outputTokens} * ${priceOfOutput} END`

const statements = [
  `${upTo(':accounts')}
   INSERT INTO accounts (id, email, email_key, name, created, confirmed)
   SELECT 'acc_large' || n, 'user-' || n || '@example.org', 'user-' || n || '@example.org', 'User ' || n, ${joined},
     CASE WHEN n % 10 = 0 THEN NULL ELSE ${joined} END FROM numbers`,

  `${upTo(':accounts')}
   INSERT INTO api_keys (id, account_id, name, prefix, hash, created, last_used)
   SELECT 'key_large' || n, 'acc_large' || n, 'laptop', 'sk-inferd-large' || n, randomblob(32), ${joined}, :now FROM numbers`,

  `${upTo(':vouchers')}
   INSERT INTO vouchers (id, hash, amount, memo, created, redeemed, redeemed_by)
   SELECT 'vou_large' || n, randomblob(32), 5000000000, 'batch ' || n / 100, ${joined.replace(':accounts', ':vouchers')},
     CASE WHEN n % 2 = 0 AND n < :accounts THEN ${joined} END,
     CASE WHEN n % 2 = 0 AND n < :accounts THEN 'acc_large' || n END FROM numbers`,

  `${upTo(':requests')}
   INSERT INTO usage (request_id, account_id, key_id, endpoint, model, prompt_tokens, cached_tokens, completion_tokens,
     reasoning_tokens, characters, audio_ms, prices, cost, charged, finish, queued_ms, running_ms, first_output_ms, held, created)
   SELECT 'req_large' || n, 'acc_large' || ${owner}, 'key_large' || ${owner}, 'chat/completions',
     'large/model-' || (n * 13 % :models), ${promptTokens}, 0, ${outputTokens}, 0, 0, 0, :prices, ${cost}, ${cost},
     CASE WHEN ${hasFailed} THEN 'failed' ELSE 'stop' END, n % 40, n % 9000 + 50, n % 700 + 30, 1000000,
     :begin + (:now - :begin) / :requests * n FROM numbers`,

  // Rows in order of time, each with the balance after it.
  `INSERT INTO ledger (account_id, kind, amount, balance_after, request_id, voucher_id, actor, memo, created)
   SELECT account_id, kind, amount, sum(amount) OVER (PARTITION BY account_id ORDER BY created, place, id),
     iif(kind = 'usage', id, NULL), iif(kind = 'voucher', id, NULL), actor, memo, created
   FROM (
     SELECT 0 AS place, id AS account_id, 'credit' AS kind, 100000000000 AS amount, id, 'system' AS actor,
       'first credit' AS memo, created FROM accounts WHERE id LIKE 'acc_large%'
     UNION ALL SELECT 1, redeemed_by, 'voucher', amount, id, 'account:' || redeemed_by, NULL, redeemed
     FROM vouchers WHERE redeemed IS NOT NULL
     UNION ALL SELECT 2, account_id, 'usage', -charged, request_id, 'system', NULL, created FROM usage WHERE charged > 0
   ) ORDER BY created, place, id`,

  `INSERT INTO audit_log (created, actor, action, account_id, details)
   SELECT created, actor, 'money.' || kind, account_id, '{"amountNanoUsd":' || amount || '}'
   FROM ledger WHERE kind <> 'usage' ORDER BY id`,

  `INSERT INTO outbox (id, account_id, purpose, created, next_attempt)
   SELECT 'out_large' || rowid, id, 'confirm', :now - rowid * 1000, NULL FROM accounts WHERE confirmed IS NULL AND id LIKE 'acc_large%'`,
]

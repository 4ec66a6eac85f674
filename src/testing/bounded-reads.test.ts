/** Lists and counts are read by indexes, even if strangers have filled the tables. */
import { expect, test } from 'bun:test'
import type { Caller } from '../operations/operation.ts'
import { type OperationName, perform } from '../operations/operations.ts'
import { openTestAccounts, type TestAccounts } from './test-accounts.ts'

const nowMs = 1_800_000_000_000
const operator: Caller = { kind: 'operator', actor: 'cli:test', baseUrl: '' }
const rows = 2_000

/** Creates an account with many revoked keys, ended sessions, mails, and rows of the audit log. Returns its id. */
function crowded(books: TestAccounts): string {
  const { database } = books
  const { accountId } = books.account(0)
  const upTo = `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${rows})`
  for (const sql of [
    `INSERT INTO api_keys (id, account_id, name, prefix, hash, created, revoked)
     SELECT 'key_' || n, '${accountId}', 'k', 'p' || n, randomblob(32), ${nowMs} + n, ${nowMs} FROM numbers`,
    `INSERT INTO audit_log (created, actor, action, account_id, details)
     SELECT ${nowMs}, 'account:${accountId}', 'key.create', '${accountId}', '{}' FROM numbers`,
    `INSERT INTO outbox (id, account_id, purpose, created, sent)
     SELECT 'mail_' || n, '${accountId}', 'confirm', ${nowMs}, ${nowMs} FROM numbers`,
    `INSERT INTO accounts (id, name, created) SELECT 'acc_many' || n, 'x', ${nowMs} FROM numbers`,
  ])
    database.query(`${upTo} ${sql}`).run()
  return accountId
}

/** Returns a list that receives the plan of each later query, one entry per line. */
function watchPlans({ database }: TestAccounts): string[] {
  const plans: string[] = []
  const query = database.query.bind(database)
  database.query = ((sql: string) => {
    if (/^\s*(SELECT|WITH)/.test(sql)) {
      const values = Object.fromEntries([...sql.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, null]))
      const explain = database.prepare<{ detail: string }, [Record<string, null>]>(`EXPLAIN QUERY PLAN ${sql}`)
      plans.push(...explain.all(values).map(({ detail }) => detail))
    }
    return query(sql)
  }) as typeof query
  return plans
}

const reads: readonly (readonly [OperationName, (account: string) => object])[] = [
  ['accounts-show', (account) => ({ account })],
  ['accounts-list', () => ({})],
  ['accounts-list', () => ({ state: 'disabled' })],
  ['accounts-list', () => ({ state: 'unmetered' })],
  ['accounts-list', () => ({ state: 'operator' })],
  ['accounts-count', () => ({ sinceMs: nowMs })],
  ['keys-list', (account) => ({ account })],
  ['keys-list', (account) => ({ account, state: 'usable' })],
  ['keys-list', (account) => ({ account, state: 'ended' })],
  ['sessions-list', (account) => ({ account })],
  ['outbox-list', () => ({ isWaiting: true })],
  ['outbox-list', () => ({ isWaiting: false })],
  ['ledger-list', (account) => ({ account })],
  ['ledger-list', () => ({ kind: 'credit' })],
  ['ledger-list', () => ({ kind: 'usage' })],
  ['ledger-list', (account) => ({ account, kind: 'usage' })],
  ['ledger-list', (account) => ({ account, kind: 'credit' })],
  ['usage-list', (account) => ({ account })],
  ['usage-list', (account) => ({ account, key: 'key_1' })],
  ['usage-list', (account) => ({ account, model: 'a/b' })],
  ['usage-list', (account) => ({ account, fromMs: nowMs })],
  ['usage-last', () => ({})],
  ['audit-list', (account) => ({ account })],
  ['vouchers-list', () => ({})],
]

/**
 * Returns whether a plan reads a whole table or sorts its results. A query in index order stops at the end of its page.
 */
const isUnbounded = (plan: string) =>
  /^SCAN (accounts|api_keys|sessions|outbox|ledger|usage|usage_days|audit_log|vouchers|mail_tokens)$|TEMP B-TREE FOR ORDER/.test(
    plan,
  )

test.each(reads)('%s ends with its page: %#', async (name, inputOf) => {
  using books = openTestAccounts(':memory:', () => nowMs)
  const account = crowded(books)
  const plans = watchPlans(books)
  const result = await perform(books.services, operator, { name, input: inputOf(account) })
  if (Array.isArray(result)) expect(result.length).toBeLessThanOrEqual(100)
  expect(plans.length).toBeGreaterThan(0)
  expect(plans.filter(isUnbounded)).toEqual([])
})

test('keys in force are found by an index of their own', () => {
  using books = openTestAccounts(':memory:', () => nowMs)
  const account = crowded(books)
  const plans = watchPlans(books)
  const { keys } = books.stores
  expect(keys.list({ accountId: account, state: 'usable' })).toHaveLength(1)
  expect(keys.hasUsable(account, 1)).toBe(true)
  expect(keys.hasUsable(account, 2)).toBe(false)
  expect(plans.filter((plan) => /api_keys/.test(plan))).toEqual(
    Array(3).fill(expect.stringContaining('USING INDEX api_keys_in_force (account_id=?)')),
  )
})

test('sums over all money read the few rows of the ledger that are no usage', () => {
  using books = openTestAccounts(':memory:', () => nowMs)
  crowded(books)
  const plans = watchPlans(books)
  books.stores.sumBooks()
  expect(plans.filter((plan) => / ledger /.test(`${plan} `))).toEqual(
    Array(3).fill(expect.stringContaining('SEARCH ledger USING INDEX ledger_by_kind')),
  )
})

test('counts of what strangers make are bounded', async () => {
  using books = openTestAccounts(':memory:', () => nowMs)
  crowded(books)
  expect(books.stores.accounts.count(0)).toEqual({ all: rows + 1, made: rows + 1 })
  books.stores.accounts.ensureOperator()
  expect(books.stores.accounts.count(nowMs)).toEqual({ all: rows + 1, made: rows })
  expect(books.stores.outbox.countWaiting()).toBe(0)
})

test('one more session than an account may have ends the oldest', () => {
  let now = nowMs
  using books = openTestAccounts(':memory:', () => now++)
  const { sessions } = books.stores
  const { accountId } = books.account(0)
  const secrets = Array.from({ length: 102 }, () => sessions.begin(accountId))
  expect(secrets.map((secret) => sessions.find(secret) !== undefined)).toEqual([false, false, ...Array(100).fill(true)])
  expect(sessions.list(accountId)).toHaveLength(100)
})

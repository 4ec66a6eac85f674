import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OperationServices } from '../operations/operation.ts'
import { perform } from '../operations/operations.ts'
import { askDatabaseThread } from '../upkeep/database-thread.ts'
import { fillDatabase } from './large-database.ts'
import { openTestAccounts } from './test-accounts.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-large-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'inferd.db')
const size = { accounts: 100, requests: 3_000, vouchers: 100 }
const { busiestAccount, session } = fillDatabase(path, size)
const dayMs = 24 * 60 * 60 * 1000

test('a large database adds up and has what was asked for', () => {
  using books = openTestAccounts(path, Date.now)
  const { stores } = books
  expect(stores.checkIntegrity()).toMatchObject({ problems: [], accounts: size.accounts })
  expect(stores.sumUsage({ by: ['day'] }).total.requests).toBe(size.requests)
  expect(stores.sumUsage({ by: ['day'] }).rows.length).toBeGreaterThan(360)
  expect(stores.usage.list({ limit: size.requests, accountId: busiestAccount }).length).toBeGreaterThan(500)
  expect(stores.vouchers.list({ limit: 1_000 })).toHaveLength(size.vouchers)
  expect(stores.sessions.find(session)?.accountId).toBe(busiestAccount)
})

test('rows of one kind of an account, are searched for among those of the account, those of a key among its own', () => {
  using books = openTestAccounts(path, Date.now)
  const { stores, database } = books
  const plans: string[] = []
  const query = database.query.bind(database)
  database.query = ((sql: string) => {
    const values = Object.fromEntries([...sql.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, null]))
    const explain = database.prepare<{ detail: string }, [Record<string, null>]>(`EXPLAIN QUERY PLAN ${sql}`)
    plans.push(
      explain
        .all(values)
        .map(({ detail }) => detail)
        .join(', '),
    )
    return query(sql)
  }) as typeof query
  expect(stores.ledger.list({ accountId: busiestAccount, kind: 'usage', limit: 5 })).toHaveLength(5)
  expect(stores.usage.list({ keyId: 'key_large3', limit: 5 })).toHaveLength(5)
  stores.sumUsage({ by: ['model'], fromMs: Date.now() - 300 * dayMs })
  expect(plans).toEqual([
    expect.stringContaining('USING INDEX ledger_by_account'),
    expect.stringContaining('USING INDEX usage_by_key (key_id=?)'),
    // The whole table, in its order.
    expect.any(String),
  ])
  expect(plans.filter((plan) => plan.includes('usage_days_by_day'))).toEqual([])
})

test('a thread sums up the reports of all accounts that are longer than a week, and no others', async () => {
  using books = openTestAccounts(path, Date.now)
  const asked: object[] = []
  const server = {
    sumUsage: (query: Parameters<typeof books.stores.sumUsage>[0]) => {
      asked.push(query)
      return askDatabaseThread({ type: 'sum-usage', path, query })
    },
  } as unknown as OperationServices['server']
  const caller = { kind: 'operator', actor: 'cli:test', baseUrl: '' } as const
  const report = (input: object) =>
    perform({ ...books.services, server, clock: Date.now }, caller, {
      name: 'usage-report',
      input: { by: ['day', 'model'], limit: 5, ...input },
    })
  const long = { fromMs: Date.now() - 200 * dayMs }
  expect(await report(long)).toEqual(books.stores.sumUsage({ by: ['day', 'model'], limit: 5, ...long }))
  expect(asked).toHaveLength(1)
  await report({})
  expect(asked).toHaveLength(2)
  await report({ fromMs: Date.now() - 6 * dayMs })
  await report({ ...long, account: busiestAccount })
  expect(asked).toHaveLength(2)
})

import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayMs } from '../core/durations.ts'
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
    // The plan reads the whole table, in its order.
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

test('a thread searches accounts and the audit log, and checks the books, with the results of the server itself', async () => {
  using books = openTestAccounts(path, Date.now)
  const asked: string[] = []
  const ask = (type: 'search-accounts' | 'search-audit') => (query: object) => {
    asked.push(type)
    return askDatabaseThread({ type, path, query } as Parameters<typeof askDatabaseThread>[0])
  }
  const server = {
    searchAccounts: ask('search-accounts'),
    searchAudit: ask('search-audit'),
    checkBooks: () => askDatabaseThread({ type: 'check', path }),
  } as unknown as OperationServices['server']
  const caller = { kind: 'operator', actor: 'cli:test', baseUrl: '' } as const
  for (const [name, input] of [
    ['accounts-list', { search: 'user-7', limit: 3 }],
    ['audit-list', { action: 'credit', limit: 3, before: '50' }],
    ['audit-list', { actor: 'user-8', account: 'acc_large8' }],
    ['books-check', {}],
  ] as const) {
    const services = { ...books.services, clock: Date.now }
    const aside = await perform({ ...services, server }, caller, { name, input })
    expect(JSON.stringify(aside)).toBe(JSON.stringify(await perform(services, caller, { name, input })))
    expect(aside).not.toEqual([])
  }
  const unknown = { name: 'accounts-list', input: { search: 'user', before: 'acc_none' } } as const
  await expect(perform({ ...books.services, server }, caller, unknown)).rejects.toThrow('invalid_input')
  expect(asked).toEqual(['search-accounts', 'search-audit', 'search-audit', 'search-accounts'])
})

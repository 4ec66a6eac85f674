import { expect, test } from 'bun:test'
import { openTestAccounts } from '../testing/test-accounts.ts'

test('a row moves the balance and says what it is then', () => {
  using books = openTestAccounts()
  const { accountId } = books.account(0)
  const { ledger } = books.stores
  expect(ledger.append({ accountId, kind: 'credit', amountNanoUsd: 500, actor: 'cli:root', memo: 'paid cash' })).toBe(
    500,
  )
  expect(ledger.append({ accountId, kind: 'usage', amountNanoUsd: -120, actor: 'system', requestId: 'req_1' })).toBe(
    380,
  )
  expect(books.money(accountId)).toEqual({ balance: 380, held: 0 })
  expect(ledger.list({ accountId, limit: 10 })).toMatchObject([
    { kind: 'usage', amountNanoUsd: -120, balanceAfterNanoUsd: 380, requestId: 'req_1' },
    { kind: 'credit', amountNanoUsd: 500, balanceAfterNanoUsd: 500, memo: 'paid cash', actor: 'cli:root' },
  ])
  expect(ledger.list({ accountId, limit: 1 })).toHaveLength(1)
  expect(ledger.list({ accountId, limit: 10, before: '2' })).toMatchObject([{ kind: 'credit' }])
  expect(ledger.ofRequest('req_1')?.amountNanoUsd).toBe(-120)
})

test('no row for an account that does not exist', () => {
  using books = openTestAccounts()
  const entry = { accountId: 'acc_x', kind: 'credit', amountNanoUsd: 1, actor: 'system' } as const
  expect(() => books.stores.ledger.append(entry)).toThrow('no account')
})

test('the database itself refuses', () => {
  using books = openTestAccounts()
  const { accountId } = books.account(1_000)
  const { ledger } = books.stores
  const append = (entry: object) => () =>
    ledger.append({ accountId, kind: 'credit', amountNanoUsd: 1, actor: 'system', ...entry })
  const run = (sql: string) => () => books.database.run(sql)
  // Rows that were written are changed or deleted.
  expect(run('UPDATE ledger SET amount = 2')).toThrow('append-only')
  expect(run('DELETE FROM ledger')).toThrow('append-only')
  // A balance changes without a row, or to an amount that no row has.
  expect(run('UPDATE accounts SET balance = balance + 1')).toThrow('only through the ledger')
  // A row has wrong arithmetic.
  const columns = 'account_id, kind, amount, balance_after, actor, created'
  expect(run(`INSERT INTO ledger (${columns}) VALUES ('${accountId}', 'credit', 5, 1006, 'system', 0)`)).toThrow()
  // An amount exceeds the balance, or the part of it that is not held.
  expect(append({ kind: 'adjustment', amountNanoUsd: -1_001 })).toThrow('CHECK')
  books.database.run('UPDATE accounts SET held = 600')
  expect(append({ kind: 'adjustment', amountNanoUsd: -401 })).toThrow('CHECK')
  // A sign is wrong, usage costs nothing, or a row repeats another.
  expect(append({ amountNanoUsd: -1 })).toThrow('CHECK')
  expect(append({ kind: 'usage', amountNanoUsd: -1 })).toThrow('CHECK')
  append({ kind: 'usage', amountNanoUsd: -1, requestId: 'req_1' })()
  expect(append({ kind: 'usage', amountNanoUsd: -1, requestId: 'req_1' })).toThrow('UNIQUE')
  append({ kind: 'starter_credit' })()
  expect(append({ kind: 'starter_credit' })).toThrow('UNIQUE')
  expect(books.money(accountId)).toEqual({ balance: 1_000, held: 600 })
})

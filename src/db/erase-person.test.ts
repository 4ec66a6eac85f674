import { expect, test } from 'bun:test'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { erasePerson, listErasures } from './erase-person.ts'

/** Makes an account that has left a marked word wherever an account can. */
function markedAccount({ stores, database, account }: TestAccounts): string {
  const { accountId } = account(5_000)
  database.run(
    `UPDATE accounts SET email = 'zebra@example.org', email_key = 'zebra@example.org', name = 'Zebra',
    password_hash = 'zebra', confirmed = 1 WHERE id = ?`,
    [accountId],
  )
  stores.keys.create({ accountId, name: 'zebra laptop' })
  stores.sessions.begin(accountId, { client: { address: '10.0.0.1', userAgent: 'zebra browser' } })
  stores.mailTokens.mint(accountId, 'sign-in')
  stores.setupLinks.mint(accountId)
  stores.outbox.add(accountId, 'confirm')
  database.run("UPDATE outbox SET failure = 'zebra is unknown'")
  const entry = { accountId, amountNanoUsd: 1_000, actor: 'cli:ada' } as const
  stores.ledger.append({ ...entry, kind: 'credit', memo: 'for Zebra', idempotencyKey: 'zebra-1' })
  stores.audit.append({ actor: 'cli:ada', action: 'account.rename', accountId, details: { name: 'Zebra' } })
  return accountId
}

test('nothing of an erased person is left in the file, and the sums stay', () => {
  using books = openTestAccounts()
  const accountId = markedAccount(books)
  const other = books.account(7_000)
  const before = { sums: books.stores.sumBooks(), ledger: books.stores.ledger.list().length }
  expect(contains(books, 'zebra')).toBe(true)

  expect(erasePerson(books.database, accountId, 42)).toBe(true)
  books.database.run('VACUUM')
  expect(contains(books, 'zebra')).toBe(false)
  expect({ sums: books.stores.sumBooks(), ledger: books.stores.ledger.list().length }).toEqual(before)
  expect(books.stores.checkIntegrity().problems).toEqual([])
  expect(books.stores.keys.list({ accountId }).map(({ name, revokedAtMs }) => [name, revokedAtMs])).toEqual([
    ['erased', 42],
    ['erased', 42],
  ])
  expect(books.stores.accounts.find(accountId)).toMatchObject({ name: 'erased', balanceNanoUsd: 6_000, disabledMs: 42 })
  expect(books.stores.keys.verify(other.key)).toMatchObject({ kind: 'valid' })
  expect([...listErasures(books.database)]).toEqual([[accountId, 42]])
})

test('an erasure is done once and cannot be undone', () => {
  using books = openTestAccounts()
  const accountId = markedAccount(books)
  expect(erasePerson(books.database, 'acc_none', 1)).toBe(false)
  expect(erasePerson(books.database, accountId, 1)).toBe(true)
  expect(erasePerson(books.database, accountId, 2)).toBe(false)
  const run = (sql: string) => () => books.database.run(sql)
  expect(run('DELETE FROM erasures')).toThrow('for good')
  expect(run("UPDATE accounts SET email = 'zebra@example.org'")).toThrow('erased')
  expect(run('UPDATE accounts SET disabled = NULL')).toThrow('erased')
})

test('of a ledger row only the texts can go, and only those of an erased person', () => {
  using books = openTestAccounts()
  const erased = markedAccount(books)
  const { accountId: other } = books.account(0)
  books.stores.ledger.append({ accountId: other, kind: 'credit', amountNanoUsd: 1, actor: 'cli:ada', memo: 'memo' })
  erasePerson(books.database, erased, 1)
  const change = (set: string, accountId: string) => () =>
    books.database.run(`UPDATE ledger SET ${set} WHERE account_id = '${accountId}'`)
  expect(change('memo = NULL', other)).toThrow('append-only')
  expect(change('memo = NULL', erased)).not.toThrow()
  for (const set of ["memo = 'x'", 'amount = amount + 1', 'created = 0', "idempotency_key = 'x'", "actor = 'x'"])
    expect(change(set, erased)).toThrow('append-only')
})

test('the refund of a charge keeps its key, by which the books are checked', () => {
  using books = openTestAccounts()
  const { accountId } = books.account(0)
  const entry = { accountId, kind: 'credit', amountNanoUsd: 1, actor: 'system' } as const
  books.stores.ledger.append({ ...entry, idempotencyKey: 'not stored: req_1' })
  erasePerson(books.database, accountId, 1)
  expect(books.stores.ledger.list({ accountId })[0]).toMatchObject({ idempotencyKey: 'not stored: req_1' })
})

function contains({ database }: TestAccounts, word: string): boolean {
  return Buffer.from(database.serialize()).toString('latin1').toLowerCase().includes(word)
}

import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { type OperationInput, perform } from './operations.ts'

const operator = { kind: 'operator', actor: 'cli:test', baseUrl: '' } as const

function credit({ services }: TestAccounts, input: OperationInput<'ledger-credit'>) {
  return perform(services, operator, { name: 'ledger-credit', input })
}

test('two credits at once with one idempotency key credit once, and both have the first result', async () => {
  using books = openTestAccounts()
  const { accountId: account } = books.account(0)
  const input = { account, amount: '2', memo: 'invoice 7', idempotencyKey: 'invoice-7' }
  const [first, second] = await Promise.all([credit(books, input), credit(books, input)])
  expect(first).toEqual({ account, email: null, kind: 'credit', amountNanoUsd: 2e9, balanceNanoUsd: 2e9 })
  expect(second).toEqual(first)
  await credit(books, { account, amount: '1' })
  expect(await credit(books, input)).toEqual(first)
  expect(books.money(account).balance).toBe(3e9)
  const { ledger, audit } = books.stores
  expect(ledger.list({ accountId: account }).map(({ idempotencyKey }) => idempotencyKey)).toEqual([
    undefined,
    'invoice-7',
  ])
  expect(audit.list({ accountId: account })).toHaveLength(2)
})

test('an adjustment is repeated as safely, also where nothing is left to take away', async () => {
  using books = openTestAccounts()
  const { accountId: account } = books.account(2e9)
  const input = { account, amount: '-2', idempotencyKey: 'back' }
  const first = await credit(books, input)
  expect(await credit(books, input)).toEqual(first)
  expect(books.money(account).balance).toBe(0)
})

test.each([
  ['another amount', { amount: '2.000000001' }],
  ['another sign', { amount: '-2' }],
  ['another memo', { memo: 'invoice 8' }],
  ['no memo', { memo: undefined }],
  ['another account', { account: 'acc_other' }],
])('an idempotency key with %s is an error that changes nothing', async (_, other) => {
  using books = openTestAccounts()
  const { accountId: account } = books.account(5e9)
  books.database.run("INSERT INTO accounts (id, name, created) VALUES ('acc_other', 'test', 0)")
  const input = { account, amount: '2', memo: 'invoice 7', idempotencyKey: 'invoice-7' }
  await credit(books, input)
  const problem = { code: 'idempotency_key_reused', what: 'credit' }
  await expect(credit(books, { ...input, ...other })).rejects.toMatchObject({ problem })
  expect([books.money(account).balance, books.money('acc_other').balance]).toEqual([7e9, 0])
})

test('an account has at most 5 million dollars, to the last billionth', async () => {
  using books = openTestAccounts()
  const { accountId: account } = books.account(0)
  await credit(books, { account, amount: '4999999.999999999' })
  await credit(books, { account, amount: '0.000000001' })
  expect(books.money(account).balance).toBe(5e15)
  const problem = { code: 'exceeds_maximum_balance' }
  await expect(credit(books, { account, amount: '0.000000001' })).rejects.toMatchObject({ problem })
})

test('what requests hold is not taken away', async () => {
  using books = openTestAccounts()
  const { accountId: account, keyId } = books.account(5)
  await books.stores.holds.hold({ requestId: 'req_1', accountId: account, keyId, amountNanoUsd: 2 })
  const problem = { code: 'exceeds_balance', balanceNanoUsd: 5, heldNanoUsd: 2 }
  await expect(credit(books, { account, amount: '-0.000000004' })).rejects.toMatchObject({ problem })
  await credit(books, { account, amount: '-0.000000003' })
  expect(books.money(account)).toEqual({ balance: 2, held: 2 })
})

test('two processes that write one after the other credit once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-credit-'))
  const path = join(folder, 'inferd.db')
  {
    using server = openTestAccounts(path)
    using command = openTestAccounts(path)
    const { accountId: account } = server.account(0)
    const input = { account, amount: '2', idempotencyKey: 'invoice-7' }
    expect(await credit(server, input)).toEqual(await credit(command, input))
    expect(server.money(account).balance).toBe(2e9)
  }
  rmSync(folder, { recursive: true })
})

test('the database itself refuses a second row with the same idempotency key', () => {
  using books = openTestAccounts()
  const { accountId } = books.account(0)
  const entry = { accountId, kind: 'credit', amountNanoUsd: 1, actor: 'system', idempotencyKey: 'a' } as const
  books.stores.ledger.append(entry)
  expect(() => books.stores.ledger.append(entry)).toThrow('UNIQUE')
  expect(() => books.stores.ledger.append({ ...entry, kind: 'signup', amountNanoUsd: 0, idempotencyKey: 'b' })).toThrow(
    'CHECK',
  )
})

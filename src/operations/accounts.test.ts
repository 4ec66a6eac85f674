import { expect, test } from 'bun:test'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { type OperationName, type OperationResult, perform } from './operations.ts'

function asOperator({ services }: TestAccounts, name: OperationName, input: object) {
  return perform(services, { kind: 'operator', actor: 'cli:test', baseUrl: '' }, { name, input })
}

test.each([
  ['accounts-set-unmetered', 'isUnmetered', 'account.unmetered'],
  ['accounts-set-disabled', 'isDisabled', 'account.disable'],
] as const)('%s is audited when it changes something', async (name, field, action) => {
  using books = openTestAccounts()
  await asOperator(books, 'keys-create', { name: 'of the operator' })
  const { accountId: account } = books.account(0)
  for (const value of [false, true, true]) await asOperator(books, name, { account, [field]: value })
  expect(books.stores.audit.list({ accountId: account })).toMatchObject([{ action }])
})

test('an unmetered account that is made first is not the operator’s own', async () => {
  using books = openTestAccounts()
  const made = await asOperator(books, 'accounts-create', { email: 'ada@example.org', isUnmetered: true })
  const key = await asOperator(books, 'keys-create', { name: 'k' })
  expect((key as OperationResult<'keys-create'>).account).not.toBe((made as OperationResult<'accounts-create'>).id)
})

import { expect, test } from 'bun:test'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { prepareKeylessKey } from './keys.ts'

test('the key of requests without a key is the operator’s, one for all starts, and counts for no secret', () => {
  using books = openTestAccounts()
  const { stores } = books
  const { id: operator } = stores.accounts.ensureOperator()
  prepareKeylessKey(stores, true)
  prepareKeylessKey(stores, true)
  expect(stores.keys.list()).toMatchObject([{ accountId: operator, lastUsedMs: undefined }])
  expect(stores.keys.hasAnyUsable()).toBe(false)
  expect(stores.keys.keyless()).toMatchObject({ kind: 'valid', accountId: operator })
  expect(stores.audit.list()).toMatchObject([{ actor: 'system', action: 'key.create', accountId: operator }])
  stores.accounts.setDisabled(operator, true)
  expect(stores.keys.keyless()).toEqual({ kind: 'account-disabled' })
})

test('once revoked it stays so, until a start without it', () => {
  using books = openTestAccounts()
  const { stores } = books
  prepareKeylessKey(stores, true)
  const [first] = stores.keys.list()
  stores.keys.revoke(first?.id ?? '')
  prepareKeylessKey(stores, true)
  expect(stores.keys.keyless()).toEqual({ kind: 'revoked' })
  prepareKeylessKey(stores, false)
  expect(stores.keys.keyless()).toBeUndefined()
  prepareKeylessKey(stores, true)
  expect(stores.keys.keyless()).toMatchObject({ kind: 'valid' })
  expect(stores.keys.list()).toHaveLength(2)
  // A key that was not revoked stays the same.
  prepareKeylessKey(stores, false)
  prepareKeylessKey(stores, true)
  expect(stores.keys.list()).toHaveLength(2)
})

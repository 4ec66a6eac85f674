import { expect, test } from 'bun:test'
import type { openDatabase } from '../db/open-database.ts'
import { purgeExpired } from '../db/retention.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { renewEmailKeys } from './renew-email-keys.ts'

/** Inserts accounts as another version made them, with its comparison keys of the addresses. */
function accountsOf(database: ReturnType<typeof openDatabase>, rows: readonly (readonly [string, string, string])[]) {
  for (const [created, [id, email, key]] of rows.entries()) {
    database
      .query('INSERT INTO accounts (id, name, email, email_key, created) VALUES (?, ?, ?, ?, ?)')
      .run(id, '', email, key, created)
  }
}

test('accounts of earlier versions are found by the address that they were made with', () => {
  using books = openTestAccounts()
  const { database, stores } = books
  accountsOf(database, [
    ['acc_wide', 'ada\uff0bnews@example.org', 'ada+news@example.org'],
    ['acc_plain', 'bob+x@example.org', 'bob@example.org'],
    ['acc_local', 'root@intranet', 'root@intranet'],
    ['acc_accent', 'J\u00dcRGEN@example.org', 'j\u00fcrgen@example.org'],
  ])
  expect(renewEmailKeys(database)).toEqual([])
  expect(renewEmailKeys(database)).toEqual([])
  const found = [
    'ada\uff0bnews@example.org',
    'ada@example.org',
    'BOB@example.org.',
    'root@intranet',
    'jürgen@example.org',
  ]
  expect(found.map((address) => stores.accounts.findByEmail(address)?.id)).toEqual([
    ...['acc_wide', 'acc_wide', 'acc_plain', 'acc_local', 'acc_accent'],
  ])
})

test('of two accounts whose addresses are now the same the one that has the key keeps it', () => {
  using books = openTestAccounts()
  const { database, stores } = books
  accountsOf(database, [
    ['acc_first', 'ada\uff0ba@example.org', 'ada+a@example.org'],
    ['acc_second', 'ada\uff0bb@example.org', 'ada+b@example.org'],
    ['acc_plain', 'bob@example.org', 'bob@example.org'],
    ['acc_wide', 'bob\uff0bb@example.org', 'bob+b@example.org'],
  ])
  expect(renewEmailKeys(database)).toEqual([
    { ownerId: 'acc_first', accountId: 'acc_second' },
    { ownerId: 'acc_plain', accountId: 'acc_wide' },
  ])
  expect(stores.accounts.findByEmail('ada@example.org')?.id).toBe('acc_first')
  expect(stores.accounts.findByEmail('bob@example.org')?.id).toBe('acc_plain')
  expect(stores.accounts.find('acc_second')?.email).toBe('ada\uff0bb@example.org')
})

test('keys that ended unused are deleted after a month, in parts; used ones stay', () => {
  let nowMs = 1_800_000_000_000
  using books = openTestAccounts(':memory:', () => nowMs)
  const { keys } = books.stores
  const { accountId, keyId: usable } = books.account(0)
  const make = (expiresAtMs?: number) => keys.create({ accountId, name: 'k', expiresAtMs })
  const [used, expired, ...revoked] = [make(), make(nowMs + 1), make(), make(), make()]
  keys.verify(used.key)
  for (const { id } of [used, ...revoked]) keys.revoke(id)
  const monthMs = 30 * 24 * 60 * 60 * 1000
  nowMs += monthMs - 1
  expect(purgeExpired(books.database, { nowMs, maximumRows: 2 })).toBe(false)
  expect(keys.list()).toHaveLength(6)
  nowMs += 2
  expect(purgeExpired(books.database, { nowMs, maximumRows: 2 })).toBe(true)
  expect(purgeExpired(books.database, { nowMs, maximumRows: 3 })).toBe(false)
  const left = keys.list().map(({ id }) => id)
  expect(left.sort()).toEqual([usable, used.id].sort())
  expect(left).not.toContain(expired?.id)
})

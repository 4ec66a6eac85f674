import { beforeEach, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '../core/ids.ts'
import { openDatabase } from '../db/open-database.ts'
import { openStores } from '../operations/stores.ts'

let nowMs = 0
let path = ''
const clock = () => nowMs

function open() {
  const database = openDatabase(path)
  return { ...openStores({ database, newId, clock }), database }
}

beforeEach(() => {
  nowMs = 1_800_000_000_000
  path = join(mkdtempSync(join(tmpdir(), 'inferd-keys-')), 'inferd.db')
})

test('the operator account is made once and is unmetered', () => {
  const { accounts, database } = open()
  const first = accounts.ensureOperator()
  expect(accounts.ensureOperator()).toEqual({ id: first.id })
  expect(database.query('SELECT name, is_unmetered FROM accounts').values()).toEqual([['operator', 1]])
})

test('a new key is valid for its account and has the documented form', () => {
  const { accounts, keys } = open()
  const accountId = accounts.ensureOperator().id
  const created = keys.create({ accountId, name: 'laptop' })
  expect(created.key).toMatch(/^sk-inferd-[0-9A-Za-z]{40}$/)
  expect(created.key.startsWith(created.prefix)).toBe(true)
  expect(keys.verify(created.key)).toEqual({ kind: 'valid', keyId: created.id, accountId })
})

test('the database holds a hash and a short prefix, never the secret', () => {
  const { accounts, keys, database } = open()
  const { key, prefix } = keys.create({ accountId: accounts.ensureOperator().id, name: 'laptop' })
  const row = database.query<{ hash: Uint8Array }, []>('SELECT hash FROM api_keys').get()
  expect(Buffer.from(row?.hash ?? []).toString('hex')).toBe(new Bun.CryptoHasher('sha256').update(key).digest('hex'))
  expect(prefix.length).toBe(18)
  expect(JSON.stringify(database.query('SELECT * FROM api_keys').all())).not.toContain(key.slice(prefix.length))
})

test('anything but the exact secret is unknown', () => {
  const { accounts, keys } = open()
  const { key } = keys.create({ accountId: accounts.ensureOperator().id, name: 'laptop' })
  const last = key.endsWith('0') ? '1' : '0'
  for (const secret of [
    '',
    'sk-inferd-',
    key.slice(0, -1),
    `${key}0`,
    key.slice(0, -1) + last,
    key.toUpperCase(),
    '\0',
  ]) {
    expect(keys.verify(secret)).toEqual({ kind: 'unknown' })
  }
})

test('a key revoked by another process is refused at once', () => {
  const server = open()
  const other = open()
  const { key, id, prefix } = server.keys.create({ accountId: server.accounts.ensureOperator().id, name: 'laptop' })
  expect(server.keys.verify(key).kind).toBe('valid')
  expect(other.keys.revoke(id)).toBe(true)
  expect(server.keys.verify(key)).toEqual({ kind: 'revoked' })
  expect(other.keys.find(prefix)?.id).toBe(id)
  expect(other.keys.revoke(id)).toBe(true)
  expect(other.keys.revoke('key_nobody')).toBe(false)
  expect(server.keys.hasAnyUsable()).toBe(false)
})

test('revoking again keeps the time of the first revocation', () => {
  const { accounts, keys } = open()
  const { id } = keys.create({ accountId: accounts.ensureOperator().id, name: 'laptop' })
  const firstMs = nowMs
  keys.revoke(id)
  nowMs += 1000
  keys.revoke(id)
  expect(keys.list()[0]?.revokedAtMs).toBe(firstMs)
})

test('a key expires at its time', () => {
  const { accounts, keys } = open()
  const { key } = keys.create({ accountId: accounts.ensureOperator().id, name: 'guest', expiresAtMs: nowMs + 1000 })
  nowMs += 999
  expect(keys.verify(key).kind).toBe('valid')
  expect(keys.hasAnyUsable()).toBe(true)
  nowMs += 1
  expect(keys.verify(key)).toEqual({ kind: 'expired' })
  expect(keys.hasAnyUsable()).toBe(false)
})

test('the time of last use is written at most once a minute', () => {
  const { accounts, keys } = open()
  const { key } = keys.create({ accountId: accounts.ensureOperator().id, name: 'laptop' })
  expect(keys.list()[0]?.lastUsedMs).toBeUndefined()
  const firstMs = nowMs
  keys.verify(key)
  nowMs += 59_999
  keys.verify(key)
  expect(keys.list()[0]?.lastUsedMs).toBe(firstMs)
  nowMs += 1
  keys.verify(key)
  expect(keys.list()[0]?.lastUsedMs).toBe(nowMs)
})

test('a key stays valid when its use cannot be written', () => {
  const { accounts, keys, database } = open()
  const { key } = keys.create({ accountId: accounts.ensureOperator().id, name: 'laptop' })
  database.run('PRAGMA query_only = ON')
  expect(keys.verify(key).kind).toBe('valid')
  database.run('PRAGMA query_only = OFF')
  expect(keys.verify(key).kind).toBe('valid')
  expect(keys.list()[0]?.lastUsedMs).toBeUndefined()
  nowMs += 60_000
  keys.verify(key)
  expect(keys.list()[0]?.lastUsedMs).toBe(nowMs)
})

test('keys are listed latest first without their secrets', () => {
  const { accounts, keys } = open()
  const accountId = accounts.ensureOperator().id
  const first = keys.create({ accountId, name: 'first' })
  const second = keys.create({ accountId, name: 'second' })
  expect(keys.list().map(({ name }) => name)).toEqual(['second', 'first'])
  const text = JSON.stringify(keys.list())
  expect(text).not.toContain(first.key)
  expect(text).not.toContain(second.key)
})

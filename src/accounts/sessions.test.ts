import { expect, test } from 'bun:test'
import { dayMs } from '../core/durations.ts'
import { purgeExpired } from '../db/retention.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'

test('a session is its account’s until it is ended, expires or the account is disabled', () => {
  let nowMs = 1_800_000_000_000
  using books = openTestAccounts(':memory:', () => nowMs)
  const { sessions, accounts } = books.stores
  const { accountId } = books.account(0)
  const secret = sessions.begin(accountId)
  expect(sessions.find(secret)?.accountId).toBe(accountId)
  expect(sessions.find(`${secret}x`)?.accountId).toBeUndefined()
  accounts.setDisabled(accountId, true)
  expect(sessions.find(secret)?.accountId).toBeUndefined()
  accounts.setDisabled(accountId, false)
  expect(sessions.find(secret)?.accountId).toBeUndefined()
  const first = sessions.begin(accountId)
  nowMs += 30 * dayMs - 1
  expect(sessions.find(first)?.accountId).toBe(accountId)
  nowMs += 1
  expect(sessions.find(first)?.accountId).toBeUndefined()
  const second = sessions.begin(accountId)
  sessions.end(second)
  expect(sessions.find(second)?.accountId).toBeUndefined()
})

test('ending the others leaves one, and other accounts alone', () => {
  using books = openTestAccounts()
  const { sessions } = books.stores
  const [ada, bob] = [books.account(0).accountId, books.account(0).accountId]
  const secrets = [sessions.begin(ada), sessions.begin(ada), sessions.begin(bob)]
  sessions.endOthers(ada, secrets[0] ?? '')
  expect(secrets.map((secret) => sessions.find(secret)?.accountId)).toEqual([ada, undefined, bob])
})

test('a session of staff has the rights of its account’s role as it is now', () => {
  using books = openTestAccounts()
  const { sessions, accounts } = books.stores
  const { accountId } = books.account(0)
  expect(sessions.find(sessions.begin(accountId, { hasRoleRights: true }))?.role).toBe('member')
  accounts.setRole(accountId, 'operator', 'hand')
  const secret = sessions.begin(accountId, { hasRoleRights: true })
  expect(sessions.find(secret)?.role).toBe('operator')
  expect(sessions.find(sessions.begin(accountId))?.role).toBe('member')
  books.database.run("UPDATE accounts SET role = 'auditor'")
  expect(sessions.find(secret)?.role).toBe('auditor')
})

test('the use of a session is written once a minute, and lost where nothing can be written', () => {
  let nowMs = 1_800_000_000_000
  using books = openTestAccounts(':memory:', () => nowMs)
  const { sessions } = books.stores
  const { accountId } = books.account(0)
  const secret = sessions.begin(accountId, { client: { address: '192.0.2.1', userAgent: 'x'.repeat(1_000) } })
  const use = (address: string) => {
    const session = sessions.find(secret)
    if (session === undefined) throw new Error('the session is valid')
    sessions.noteUse(session, { address, userAgent: undefined })
    return sessions.list(accountId)[0]
  }
  const begunMs = nowMs
  nowMs += 59_999
  expect(use('192.0.2.2')).toMatchObject({ lastUsedMs: begunMs, address: '192.0.2.1', userAgent: 'x'.repeat(300) })
  nowMs += 1
  expect(use('192.0.2.3')).toMatchObject({ lastUsedMs: nowMs, address: '192.0.2.3' })
  books.database.run('PRAGMA query_only = ON')
  nowMs += 60_000
  expect(use('192.0.2.4')).toMatchObject({ lastUsedMs: nowMs - 60_000 })
  books.database.run('PRAGMA query_only = OFF')
  expect(use('192.0.2.4')).toMatchObject({ lastUsedMs: nowMs - 60_000 })
  nowMs += 60_000
  expect(use('192.0.2.4')).toMatchObject({ lastUsedMs: nowMs, address: '192.0.2.4' })
})

test('what has expired is purged', () => {
  let nowMs = 1_800_000_000_000
  using books = openTestAccounts(':memory:', () => nowMs)
  const { sessions, mailTokens, signupLimit } = books.stores
  const { accountId } = books.account(0)
  const rows = () => {
    const count = (table: string) => books.database.query(`SELECT count(*) AS count FROM ${table}`).get()
    return ['sessions', 'mail_tokens', 'signups'].map(count)
  }
  sessions.begin(accountId)
  mailTokens.mint(accountId, 'confirm')
  signupLimit.countTry('10.0.0.1')
  purgeExpired(books.database, { nowMs, maximumRows: 10 })
  expect(rows()).toEqual([{ count: 1 }, { count: 1 }, { count: 1 }])
  nowMs += 38 * dayMs
  purgeExpired(books.database, { nowMs, maximumRows: 10 })
  expect(rows()).toEqual([{ count: 0 }, { count: 0 }, { count: 0 }])
})

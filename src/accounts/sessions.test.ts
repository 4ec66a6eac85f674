import { expect, test } from 'bun:test'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { purgeExpired } from './clean-up.ts'

const dayMs = 24 * 60 * 60 * 1000

test('a session is its account’s until it is ended, expires or the account is disabled', () => {
  let nowMs = 1_800_000_000_000
  using books = openTestAccounts(':memory:', () => nowMs)
  const { sessions, accounts } = books.stores
  const { accountId } = books.account(0)
  const secret = sessions.begin(accountId)
  expect(sessions.accountOf(secret)).toBe(accountId)
  expect(sessions.accountOf(`${secret}x`)).toBeUndefined()
  accounts.setDisabled(accountId, true)
  expect(sessions.accountOf(secret)).toBeUndefined()
  accounts.setDisabled(accountId, false)
  expect(sessions.accountOf(secret)).toBeUndefined()
  const first = sessions.begin(accountId)
  nowMs += 30 * dayMs - 1
  expect(sessions.accountOf(first)).toBe(accountId)
  nowMs += 1
  expect(sessions.accountOf(first)).toBeUndefined()
  const second = sessions.begin(accountId)
  sessions.end(second)
  expect(sessions.accountOf(second)).toBeUndefined()
})

test('ending the others leaves one, and other accounts alone', () => {
  using books = openTestAccounts()
  const { sessions } = books.stores
  const [ada, bob] = [books.account(0).accountId, books.account(0).accountId]
  const secrets = [sessions.begin(ada), sessions.begin(ada), sessions.begin(bob)]
  sessions.endOthers(ada, secrets[0] ?? '')
  expect(secrets.map((secret) => sessions.accountOf(secret))).toEqual([ada, undefined, bob])
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
  signupLimit.count('10.0.0.1')
  purgeExpired(books.database, nowMs)
  expect(rows()).toEqual([{ count: 1 }, { count: 1 }, { count: 1 }])
  nowMs += 38 * dayMs
  purgeExpired(books.database, nowMs)
  expect(rows()).toEqual([{ count: 0 }, { count: 0 }, { count: 0 }])
})

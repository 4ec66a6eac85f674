import { expect, test } from 'bun:test'
import { minuteMs } from '../core/durations.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'

test('a link works once, for what it was made for, until it expires', () => {
  let nowMs = 1_800_000_000_000
  using books = openTestAccounts(':memory:', () => nowMs)
  const { mailTokens } = books.stores
  const { accountId } = books.account(0)
  const token = mailTokens.mint(accountId, 'confirm')
  expect(mailTokens.consume(token, 'sign-in')).toEqual({ kind: 'unknown' })
  expect(mailTokens.consume(token.slice(1), 'confirm')).toEqual({ kind: 'unknown' })
  expect(mailTokens.consume(token, 'confirm')).toEqual({ kind: 'ok', accountId })
  expect(mailTokens.consume(token, 'confirm')).toEqual({ kind: 'used', accountId })
  const late = mailTokens.mint(accountId, 'confirm')
  const signIn = mailTokens.mint(accountId, 'sign-in')
  nowMs += 30 * minuteMs
  expect(mailTokens.consume(signIn, 'sign-in')).toEqual({ kind: 'expired', accountId })
  nowMs += 7 * 24 * 60 * minuteMs - 30 * minuteMs - 1
  expect(mailTokens.consume(late, 'confirm')).toEqual({ kind: 'ok', accountId })
  const later = mailTokens.mint(accountId, 'confirm')
  nowMs += 7 * 24 * 60 * minuteMs
  expect(mailTokens.consume(later, 'confirm')).toEqual({ kind: 'expired', accountId })
})

test('links of a disabled account are unknown', () => {
  using books = openTestAccounts()
  const { mailTokens, accounts } = books.stores
  const { accountId } = books.account(0)
  const token = mailTokens.mint(accountId, 'confirm')
  accounts.setDisabled(accountId, true)
  expect(mailTokens.consume(token, 'confirm')).toEqual({ kind: 'unknown' })
  accounts.setDisabled(accountId, false)
  expect(mailTokens.consume(token, 'confirm')).toEqual({ kind: 'ok', accountId })
})

import { expect, test } from 'bun:test'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'

function make(books: TestAccounts, fields: object = {}) {
  const request = { amountNanoUsd: 20_000_000_000, count: 1, actor: 'cli:root', ...fields }
  return books.stores.vouchers.create(request)
}

test('vouchers are different, readable and stored nowhere', () => {
  using books = openTestAccounts()
  const created = make(books, { count: 50, memo: 'spring' })
  expect(new Set(created.map(({ code }) => code)).size).toBe(50)
  for (const { code } of created) expect(code).toMatch(/^VC(-[2-9B-DF-HJ-NP-TV-XZ]{6}){4}$/)
  expect(books.stores.vouchers.list({ limit: 100 })).toHaveLength(50)
  expect(books.stores.audit.list({ limit: 9 })).toMatchObject([{ actor: 'cli:root', action: 'voucher.create' }])
  const stored = Buffer.from(books.database.serialize()).toString('latin1')
  for (const { code } of created) expect(stored).not.toContain(code.slice(3, 9))
})

test('a voucher is redeemed once, however it is typed', () => {
  using books = openTestAccounts()
  const { vouchers, ledger, audit } = books.stores
  const [ada, bob] = [books.account(0).accountId, books.account(0).accountId]
  const [voucher] = make(books)
  const typed = ` ${voucher?.code.toLowerCase().replaceAll('-', ' ')} `
  expect(vouchers.redeem(ada, 'VC-222222-222222-222222-222222')).toEqual({ kind: 'unknown' })
  expect(vouchers.redeem(ada, '')).toEqual({ kind: 'unknown' })
  const redeemed = { kind: 'redeemed', amountNanoUsd: 20_000_000_000, balanceNanoUsd: 20_000_000_000 } as const
  expect(vouchers.redeem(ada, typed)).toEqual(redeemed)
  expect(vouchers.redeem(ada, typed)).toEqual({ kind: 'used', isOwn: true })
  expect(vouchers.redeem(bob, voucher?.code ?? '')).toEqual({ kind: 'used', isOwn: false })
  expect(ledger.list({ accountId: ada, limit: 9 })).toMatchObject([{ kind: 'voucher', voucherId: voucher?.id }])
  expect(books.money(bob).balance).toBe(0)
  expect(vouchers.list({ limit: 9 })).toMatchObject([{ redeemedBy: ada }])
  expect(audit.list({ limit: 9, accountId: ada })).toMatchObject([
    { action: 'voucher.redeem', actor: `account:${ada}` },
  ])
})

test('of twenty requests at once one redeems a voucher', async () => {
  using books = openTestAccounts()
  const { vouchers, commits } = books.stores
  const people = Array.from({ length: 20 }, () => books.account(0).accountId)
  const code = make(books)[0]?.code ?? ''
  const outcomes = await Promise.all(people.map((person) => commits.run(() => vouchers.redeem(person, code))))
  expect(outcomes.filter(({ kind }) => kind === 'redeemed')).toHaveLength(1)
  expect(people.reduce((sum, person) => sum + books.money(person).balance, 0)).toBe(20_000_000_000)
})

test('expired and revoked vouchers are refused, and a redeemed one cannot be revoked', () => {
  let nowMs = 1_800_000_000_000
  using books = openTestAccounts(':memory:', () => nowMs)
  const { vouchers } = books.stores
  const { accountId } = books.account(0)
  const [late] = make(books, { expiresAtMs: nowMs + 1_000 })
  const [revoked] = make(books)
  const [used] = make(books)
  vouchers.redeem(accountId, used?.code ?? '')
  nowMs += 1_000
  expect(vouchers.redeem(accountId, late?.code ?? '')).toEqual({ kind: 'expired' })
  expect(vouchers.revoke(revoked?.id ?? '', 'cli:root')).toBe(true)
  expect(vouchers.redeem(accountId, revoked?.code ?? '')).toEqual({ kind: 'revoked' })
  expect(vouchers.revoke(used?.id ?? '', 'cli:root')).toBe(false)
  expect(vouchers.revoke('vou_x', 'cli:root')).toBe(false)
  expect(books.money(accountId).balance).toBe(20_000_000_000)
})

test('no account gets more than one may have, and the voucher stays good', () => {
  using books = openTestAccounts()
  const { vouchers } = books.stores
  const { accountId } = books.account(0)
  const [first, second] = make(books, { count: 2, amountNanoUsd: 3_000_000_000_000_000 })
  expect(vouchers.redeem(accountId, first?.code ?? '')).toMatchObject({ kind: 'redeemed' })
  expect(vouchers.redeem(accountId, second?.code ?? '')).toEqual({ kind: 'over_limit' })
  expect(books.money(accountId).balance).toBe(3_000_000_000_000_000)
  expect(vouchers.redeem(books.account(0).accountId, second?.code ?? '')).toMatchObject({ kind: 'redeemed' })
})

import { expect, test } from 'bun:test'
import { freePricing } from '../core/model.ts'
import { nothingConsumed } from '../core/usage.ts'
import { endedRecord } from '../testing/ended-record.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'

test('the sums say where all the money is and where it came from', () => {
  using books = openTestAccounts()
  const { ledger, vouchers, sumBooks } = books.stores
  const [ada, bob] = [books.account(1_000).accountId, books.account(0).accountId]
  ledger.append({ accountId: ada, kind: 'adjustment', amountNanoUsd: -100, actor: 'system' })
  ledger.append({ accountId: bob, kind: 'starter_credit', amountNanoUsd: 7, actor: 'system' })
  const made = vouchers.create({ amountNanoUsd: 20, count: 3, actor: 'cli:test' })
  const [first, second] = made
  vouchers.redeem(bob, first?.code ?? '')
  vouchers.revoke(second?.id ?? '', 'cli:test')
  expect(sumBooks()).toEqual({
    balancesNanoUsd: 927,
    heldNanoUsd: 0,
    chargedTodayNanoUsd: 0,
    chargedThisMonthNanoUsd: 0,
    creditedNanoUsd: 900,
    vouchersRedeemedNanoUsd: 20,
    vouchersOpenNanoUsd: 20,
    givenAwayNanoUsd: 7,
  })
  expect(ledger.list({ kind: 'voucher' })).toMatchObject([{ accountId: bob, amountNanoUsd: 20 }])
  expect(ledger.list({ kind: 'voucher', accountId: ada })).toEqual([])
})

test('sums beyond 64 bits are told, if not to the last digit', () => {
  using books = openTestAccounts()
  for (let set = 0; set < 2; set++)
    books.stores.vouchers.create({ amountNanoUsd: 5e15, count: 1000, actor: 'cli:test' })
  expect(books.stores.sumBooks().vouchersOpenNanoUsd).toBe(1e19)
})

test('today and this month begin at midnight UTC', () => {
  let nowMs = Date.parse('2026-10-31T23:59:59.999Z')
  using books = openTestAccounts(':memory:', () => nowMs)
  const { accountId, keyId } = books.account(1_000)
  const charge = (requestId: string, chargedNanoUsd: number) => {
    const entry = { requestId, accountId, keyId, endpoint: 'x', model: 'm', pricing: freePricing.chat }
    const money = { costNanoUsd: chargedNanoUsd, chargedNanoUsd, isMetered: true, finish: 'stop' } as const
    books.stores.usage.insert({ ...endedRecord, ...entry, ...money, used: nothingConsumed })
  }
  charge('req_1', 1)
  nowMs += 1
  charge('req_2', 20)
  nowMs = Date.parse('2026-11-02T00:00:00Z')
  charge('req_3', 300)
  expect(books.stores.sumBooks()).toMatchObject({ chargedTodayNanoUsd: 300, chargedThisMonthNanoUsd: 320 })
})

test('vouchers are listed by what has become of them', () => {
  let nowMs = 1_800_000_000_000
  using books = openTestAccounts(':memory:', () => nowMs)
  const { vouchers } = books.stores
  const { accountId } = books.account(0)
  const make = (expiresAtMs?: number) => {
    const [made] = vouchers.create({ amountNanoUsd: 5, count: 1, expiresAtMs, actor: 'cli:test' })
    if (made === undefined) throw new Error('one was made')
    return made
  }
  const [open, redeemed, expired, revoked] = [make(), make(nowMs + 1), make(nowMs + 1), make(nowMs + 1)]
  vouchers.redeem(accountId, redeemed.code)
  vouchers.revoke(revoked.id, 'cli:test')
  nowMs += 1
  const ids = (state: 'open' | 'redeemed' | 'expired' | 'revoked') => vouchers.list({ state }).map(({ id }) => id)
  expect([ids('open'), ids('redeemed'), ids('expired'), ids('revoked')]).toEqual([
    [open.id],
    [redeemed.id],
    [expired.id],
    [revoked.id],
  ])
})

import { expect, test } from 'bun:test'
import { ApiError } from '../core/errors.ts'
import { nothingConsumed } from '../core/usage.ts'
import { estimateOf } from '../testing/grants.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { testPayment } from '../testing/test-payment.ts'
import { Bill } from './bill.ts'
import { WorkMeter } from './work-meter.ts'

function meterOf(books: TestAccounts, balance: number) {
  const account = books.account(balance)
  const { accountId } = account
  /** Price of 3 nano-USD per token */
  const priced = { model: 'a/b', pricing: { priceNanoUsd: 3_000_000, unit: '1M_tokens' }, isPriced: true } as const
  const aborting = new AbortController()
  const payment = testPayment({ account, till: books.stores.holds, signal: aborting.signal })
  const bill = new Bill({ ...payment, request: { ...payment.request, ...priced } })
  const meter = new WorkMeter({ bill, slices: undefined, billingUrl: 'http://box/billing' })
  return { bill, meter, leave: () => aborting.abort(), money: () => books.money(accountId) }
}

async function refusal(work: () => unknown) {
  const error = await Promise.try(work).catch((thrown: unknown) => thrown)
  return error instanceof ApiError ? { code: error.code, message: error.message } : error
}

test('the price of all the texts is held, and everything is granted at once', async () => {
  using books = openTestAccounts()
  const { meter, money } = meterOf(books, 300)
  meter.check()
  expect(money().held).toBe(0)
  expect(await meter.begin(estimateOf(100))).toEqual({
    limit: { ...nothingConsumed, promptTokens: 100 },
    isFinal: true,
  })
  expect(money()).toEqual({ balance: 300, held: 300 })
})

test('a refusal says what is needed, what is there, for how much, and where to add to it', async () => {
  using books = openTestAccounts()
  const { meter, money } = meterOf(books, 299)
  meter.check()
  expect(await refusal(() => meter.begin(estimateOf(100)))).toEqual({
    code: 'insufficient_balance',
    message:
      'This request needs up to $0.0000003 and $0.000000299 is available. ' +
      'That does not pay for the 100 tokens of this request: send fewer or shorter texts. ' +
      'Add funds at http://box/billing',
  })
  expect(money()).toEqual({ balance: 299, held: 0 })
})

test('an account that cannot pay for one token is refused before a model is asked', async () => {
  using books = openTestAccounts()
  expect(await refusal(() => meterOf(books, 2).meter.check())).toMatchObject({ code: 'insufficient_balance' })
  expect(await refusal(() => meterOf(books, 3).meter.check())).toBeUndefined()
})

test('a client that disconnects pays for what was read until then', async () => {
  using books = openTestAccounts()
  const { bill, meter, leave, money } = meterOf(books, 300)
  await meter.begin(estimateOf(100))
  leave()
  meter.cancelled({ ...nothingConsumed, promptTokens: 40 }, false)
  await bill.close()
  expect(money()).toEqual({ balance: 300 - 40 * 3, held: 0 })
})

test('a client that disconnects in a second pass has the estimate of the first in its record', async () => {
  using books = openTestAccounts()
  const { bill, meter, leave, money } = meterOf(books, 900)
  await meter.begin(estimateOf(100))
  meter.passed({ ...nothingConsumed, promptTokens: 100 }, true)
  await meter.begin(estimateOf(100))
  leave()
  meter.cancelled({ ...nothingConsumed, promptTokens: 40 }, false)
  await bill.close()
  expect(bill.settlement).toMatchObject({ isEstimated: true, used: { promptTokens: 140 } })
  expect(money()).toEqual({ balance: 900 - 140 * 3, held: 0 })
})

test('there is nothing to extend', async () => {
  using books = openTestAccounts()
  expect(String(await refusal(() => meterOf(books, 3).meter.extend()))).toContain('this is a bug')
})

import { expect, test } from 'bun:test'
import { ApiError } from '../core/errors.ts'
import { chatRequest } from '../testing/chat-request.ts'
import { estimateOf } from '../testing/grants.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { testPayment } from '../testing/test-payment.ts'
import { Bill } from './bill.ts'
import { slicesOf, WorkMeter } from './work-meter.ts'

/** Price of 1 nano-USD per token, in or out */
const pricing = { inputNanoUsd: 1_000_000, outputNanoUsd: 1_000_000, unit: '1M_tokens' } as const

interface Setup {
  readonly balance: number
  readonly isLimited?: boolean
  readonly choices?: number
  readonly isUnmetered?: boolean
}

function meterOf(books: TestAccounts, { balance, isLimited = false, choices = 1, isUnmetered = false }: Setup) {
  const account = books.account(balance)
  const { accountId } = account
  if (isUnmetered) books.database.run('UPDATE accounts SET is_unmetered = 1')
  const payment = testPayment({ account, till: books.stores.holds })
  const bill = new Bill({ ...payment, request: { ...payment.request, model: 'a/b', pricing, isPriced: true } })
  const request = chatRequest({ choices, maxTokens: isLimited ? 1 : undefined })
  const slices = slicesOf({ kind: 'chat', request }, 10)
  const meter = new WorkMeter({ bill, slices, billingUrl: 'http://box/billing' })
  return { bill, meter, held: () => books.money(accountId).held, accountId }
}

async function refusal(work: Promise<unknown>) {
  const error = await work.catch((thrown: unknown) => thrown)
  return error instanceof ApiError ? { code: error.code, message: error.message } : error
}

test('an answer with a limit holds all of it ahead', async () => {
  using books = openTestAccounts()
  const { meter, held } = meterOf(books, { balance: 100, isLimited: true })
  meter.check()
  expect(await meter.begin(estimateOf(30, 70))).toMatchObject({ limit: { completionTokens: 70 }, isFinal: true })
  expect(held()).toBe(100)
})

test('each of several answers is held for', async () => {
  using books = openTestAccounts()
  const { meter, held } = meterOf(books, { balance: 100, isLimited: true, choices: 3 })
  meter.check()
  expect(await meter.begin(estimateOf(10, 90))).toMatchObject({ limit: { completionTokens: 90 }, isFinal: true })
  expect(held()).toBe(100)
})

test('an answer without a limit holds slice by slice, and no more than it can be long', async () => {
  using books = openTestAccounts()
  const { meter, held } = meterOf(books, { balance: 100 })
  meter.check()
  expect(await meter.begin(estimateOf(30, 25))).toMatchObject({ limit: { completionTokens: 10 }, isFinal: false })
  expect(held()).toBe(40)
  expect(await meter.extend()).toMatchObject({ limit: { completionTokens: 20 }, isFinal: false })
  expect(held()).toBe(50)
  expect(await meter.extend()).toMatchObject({ limit: { completionTokens: 25 }, isFinal: true })
  expect(held()).toBe(55)
  expect(meter.cutBy).toBeUndefined()
})

test('the last slice is what there is money for', async () => {
  using books = openTestAccounts()
  const { meter, held } = meterOf(books, { balance: 46 })
  meter.check()
  await meter.begin(estimateOf(30, 1_000))
  expect(await meter.extend()).toMatchObject({ limit: { completionTokens: 16 }, isFinal: true })
  expect(held()).toBe(46)
  expect(meter.cutBy).toBe('out_of_balance')
})

test('with nothing left the answer ends where it is', async () => {
  using books = openTestAccounts()
  const { meter, held } = meterOf(books, { balance: 40 })
  meter.check()
  await meter.begin(estimateOf(30, 1_000))
  expect(await meter.extend()).toMatchObject({ limit: { completionTokens: 10 }, isFinal: true })
  expect(held()).toBe(40)
})

test('a refusal says what is needed, what is there, what that pays for and where to add to it', async () => {
  using books = openTestAccounts()
  const { meter, bill, held } = meterOf(books, { balance: 50, isLimited: true, choices: 2 })
  meter.check()
  expect(await refusal(meter.begin(estimateOf(30, 140)))).toEqual({
    code: 'insufficient_balance',
    message:
      'This request needs up to $0.00000017 and $0.00000005 is available. ' +
      'That pays for 10 output tokens for each of 2 answers after 30 of the prompt: ask for at most that many. ' +
      'Add funds at http://box/billing',
  })
  await bill.close()
  expect(held()).toBe(0)
})

test('a prompt that is too dear by itself is told so', async () => {
  using books = openTestAccounts()
  const { meter } = meterOf(books, { balance: 30 })
  meter.check()
  const { message } = Object(await refusal(meter.begin(estimateOf(30, 70))))
  expect(message).toContain('does not pay for the 30 tokens of the prompt and an answer')
})

test('an account without money is refused before the model is asked', async () => {
  using books = openTestAccounts()
  const { meter } = meterOf(books, { balance: 1 })
  expect(await refusal(Promise.try(() => meter.check()))).toMatchObject({ code: 'insufficient_balance' })
})

test('an unmetered account gets everything and holds nothing', async () => {
  using books = openTestAccounts()
  const { meter, held } = meterOf(books, { balance: 0, isUnmetered: true })
  meter.check()
  expect(await meter.begin(estimateOf(30, 1_000))).toMatchObject({ limit: { completionTokens: 1_000 }, isFinal: true })
  expect(held()).toBe(0)
})

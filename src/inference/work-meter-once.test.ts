/** Engines that take only one grant per request. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { costNanoUsd } from '../billing/cost.ts'
import type { Pricing } from '../core/model.ts'
import { nothingConsumed } from '../core/usage.ts'
import type { Estimate } from '../engines/protocol/request-events.ts'
import { chatRequest } from '../testing/chat-request.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { testPayment } from '../testing/test-payment.ts'
import { Bill } from './bill.ts'
import { slicesOf, WorkMeter } from './work-meter.ts'

const sliceTokens = 10

/** Price of 1 nano-USD per token, in or out */
const plain: Pricing = { inputNanoUsd: 1_000_000, outputNanoUsd: 1_000_000, unit: '1M_tokens' }

interface Asked {
  readonly pricing?: Pricing
  readonly choices?: number
  readonly isLimited?: boolean
}

/** Returns a function that makes meters for requests of one account. */
function meters(books: TestAccounts, balance: number) {
  const account = books.account(balance)
  let requests = 0
  const meter = ({ pricing = plain, choices = 1, isLimited = false }: Asked = {}) => {
    const payment = testPayment({ account, till: books.stores.holds })
    const request = { ...payment.request, requestId: `req_${++requests}`, model: 'a/b', pricing, isPriced: true }
    const chat = { kind: 'chat', request: chatRequest({ choices, maxTokens: isLimited ? 1 : undefined }) } as const
    const slices = slicesOf(chat, sliceTokens)
    const bill = new Bill({ ...payment, request })
    return new WorkMeter({ bill, slices, billingUrl: 'http://box/billing' })
  }
  return { meter, accountId: account.accountId, held: () => books.money(account.accountId).held }
}

/** Returns the estimate of a request that takes one grant, with a prompt of 5 to 30 tokens. */
function onlyGrant(completionTokens: number): Estimate {
  const least = { ...nothingConsumed, promptTokens: 5 }
  return { least, most: { ...least, promptTokens: 30, completionTokens }, isOnlyGrant: true }
}

async function outcome(meter: WorkMeter, estimate: Estimate) {
  meter.check()
  const { limit, isFinal } = await meter.begin(estimate)
  return [limit.promptTokens, limit.completionTokens, isFinal, meter.cutBy !== undefined]
}

test('a limit of the request is held as a whole', async () => {
  using books = openTestAccounts()
  const { meter, held } = meters(books, 100)
  expect(await outcome(meter({ isLimited: true }), onlyGrant(70))).toEqual([30, 70, true, false])
  expect(held()).toBe(100)
  await expect(outcome(meter({ isLimited: true }), onlyGrant(70))).rejects.toThrow('is available')
})

test('a refusal says what pays for the longest prompt that it may be, so that it helps to follow it', async () => {
  using books = openTestAccounts()
  const { meter } = meters(books, 50)
  const refused = outcome(meter({ isLimited: true }), onlyGrant(70))
  await expect(refused).rejects.toThrow('That pays for 20 output tokens after up to 30 of the prompt')
  expect(await outcome(meter({ isLimited: true }), onlyGrant(20))).toEqual([30, 20, true, false])
  const poor = outcome(meters(books, 30).meter({ isLimited: true }), onlyGrant(20))
  await expect(poor).rejects.toThrow('That does not pay for up to 30 tokens of the prompt and an answer.')
})

test('without one, all that the answer can have is held where half of the money pays for it', async () => {
  using books = openTestAccounts()
  const { meter, held } = meters(books, 1_000)
  expect(await outcome(meter(), onlyGrant(470))).toEqual([30, 470, true, false])
  expect(held()).toBe(500)
})

test('where it does not, half of the money is held, and the answer may end for want of it', async () => {
  using books = openTestAccounts()
  const { meter, held } = meters(books, 1_000)
  expect(await outcome(meter(), onlyGrant(471))).toEqual([30, 470, true, true])
  expect(held()).toBe(500)
  expect(await outcome(meter(), onlyGrant(471))).toEqual([30, 220, true, true])
  expect(held()).toBe(750)
})

test('one slice is held at least, and refused where the money does not suffice', async () => {
  using books = openTestAccounts()
  const { meter, held } = meters(books, 60)
  expect(await outcome(meter(), onlyGrant(471))).toEqual([30, 10, true, true])
  expect(held()).toBe(40)
  await expect(outcome(meter(), onlyGrant(471))).rejects.toThrow('is available')
  expect(held()).toBe(40)
})

test('each of several answers may be as long as the others', async () => {
  using books = openTestAccounts()
  const { meter, held } = meters(books, 1_001)
  expect(await outcome(meter({ choices: 3 }), onlyGrant(9_000))).toEqual([30, 468, true, true])
  expect(held()).toBe(498)
})

test('an answer that costs nothing has all', async () => {
  using books = openTestAccounts()
  const { meter, held } = meters(books, 30)
  const pricing = { ...plain, outputNanoUsd: 0 }
  expect(await outcome(meter({ pricing }), onlyGrant(9_000))).toEqual([30, 9_000, true, false])
  expect(held()).toBe(30)
})

test('an unmetered account has all, also one that became so while it asked', async () => {
  using books = openTestAccounts()
  const { meter, held } = meters(books, 100)
  const early = meter()
  early.check()
  books.database.run('UPDATE accounts SET is_unmetered = 1')
  expect(await outcome(meter(), onlyGrant(9_000))).toEqual([30, 9_000, true, false])
  expect(await early.begin(onlyGrant(9_000))).toMatchObject({ limit: { completionTokens: 9_000 }, isFinal: true })
  expect(held()).toBe(0)
})

test('two requests side by side both run where there is money for two slices, whatever they cost', async () => {
  await fc.assert(
    fc.asyncProperty(prices, fc.integer({ min: 1, max: 3 }), fc.nat({ max: 1e12 }), async (pricing, choices, more) => {
      using books = openTestAccounts()
      const slice = costNanoUsd(pricing, { ...onlyGrant(0).most, completionTokens: sliceTokens * choices })
      const { meter, held } = meters(books, 2 * slice + more)
      const estimate = onlyGrant(100_000)
      const grants = await Promise.all([1, 2].map(() => outcome(meter({ pricing, choices }), estimate)))
      for (const [, completionTokens] of grants) expect(completionTokens).toBeGreaterThanOrEqual(sliceTokens * choices)
      expect(held()).toBeLessThanOrEqual(2 * slice + more)
    }),
    { numRuns: 200 },
  )
})

test('what is held is never more than the account has, nor than half of it or a slice, and no token less than that', async () => {
  const balance = fc.oneof(fc.nat({ max: 1e12 }), fc.nat({ max: 10_000 }))
  const asked = fc.array(fc.record({ choices: fc.integer({ min: 1, max: 4 }), most: fc.nat({ max: 5_000 }) }), {
    minLength: 1,
    maxLength: 5,
  })
  await fc.assert(
    fc.asyncProperty(balance, prices, asked, async (balance, pricing, requests) => {
      using books = openTestAccounts()
      const { meter, held } = meters(books, balance)
      for (const { choices, most } of requests) {
        const estimate = onlyGrant(most * choices)
        const costOf = (completionTokens: number) => costNanoUsd(pricing, { ...estimate.most, completionTokens })
        const before = held()
        const left = balance - before
        const slice = Math.min(sliceTokens, most) * choices
        const one = meter({ pricing, choices })
        const granted = await outcome(one, estimate).catch(() => undefined)
        const taken = held() - before
        expect(held()).toBeLessThanOrEqual(balance)
        if (granted === undefined) {
          expect(taken).toBe(0)
          expect(Math.max(costOf(slice), costOf(choices))).toBeGreaterThan(left)
          continue
        }
        const [, completionTokens = 0, , isOutOfBalance] = granted as [number, number, boolean, boolean]
        expect(taken).toBe(costOf(completionTokens))
        expect(taken).toBeLessThanOrEqual(Math.max(Math.floor(left / 2), costOf(slice)))
        expect(completionTokens % choices).toBe(0)
        expect(isOutOfBalance).toBe(completionTokens < most * choices)
        if (isOutOfBalance) {
          expect(costOf(completionTokens + choices)).toBeGreaterThan(Math.max(Math.floor(left / 2), costOf(slice)))
        }
      }
    }),
    { numRuns: 300 },
  )
})

/** Price in nano-USD per million tokens. Some make a token cheaper than a nano-USD. */
const price = fc.oneof(fc.nat({ max: 3_000_000 }), fc.nat({ max: 30_000_000_000 }), fc.constant(0))
const prices: fc.Arbitrary<Pricing> = fc.record({
  inputNanoUsd: price,
  outputNanoUsd: price,
  unit: fc.constant('1M_tokens' as const),
})

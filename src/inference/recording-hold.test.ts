import { expect, test } from 'bun:test'
import { ApiError } from '../core/errors.ts'
import { nothingConsumed } from '../core/usage.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { testManifest } from '../testing/test-manifest.ts'
import { testPayment } from '../testing/test-payment.ts'
import { RecordingHold } from './recording-hold.ts'

const books = openTestAccounts()

const pricing = { priceNanoUsd: 2_000_000, unit: 'minute' } as const
const manifest = testManifest({ type: 'stt', pricing })

let requests = 0
function holdFor(account: ReturnType<typeof books.account>, model = manifest) {
  const payment = testPayment({ till: books.stores.holds })
  const request = { ...payment.request, ...account, requestId: `req_${requests++}` }
  return new RecordingHold(model, { ...payment, request })
}

async function refusal(admission: Promise<void>) {
  const error = await admission.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof ApiError ? [error.code, error.message] : error
}

const minutes = (count: number) => count * 60_000

test('a recording that says that it costs more than there is is refused', async () => {
  await using hold = holdFor(books.account(3_000_000))
  expect(await refusal(hold.admit(90_500))).toEqual([
    'insufficient_balance',
    'This request needs up to $0.003016667 and $0.003 is available. That does not pay for the 90.5 s of this recording: send a shorter one. Add funds at http://box/billing',
  ])
})

test('one that is longer than it says is admitted to the last millisecond that there is money for', async () => {
  await using hold = holdFor(books.account(20_000_000))
  for (const each of [1000, minutes(4), minutes(9), minutes(10)])
    expect(await refusal(hold.admit(each))).toBeUndefined()
  expect(await refusal(hold.admit(minutes(10) + 1))).toEqual([
    'insufficient_balance',
    expect.stringContaining('600.001 s of this recording'),
  ])
})

test('recordings of one account together are admitted for no more than its money', async () => {
  const account = books.account(20_000_000)
  const first = holdFor(account)
  await using second = holdFor(account)
  expect(await refusal(first.admit(minutes(8)))).toBeUndefined()
  expect(await refusal(second.admit(minutes(3)))).toEqual(['insufficient_balance', expect.stringContaining('$0.004')])
  await first[Symbol.asyncDispose]()
  expect(await refusal(second.admit(minutes(3)))).toBeUndefined()
})

test('what is held pays for the work that follows', async () => {
  await using hold = holdFor(books.account(20_000_000))
  await hold.admit(minutes(10))
  const { bill } = hold
  const use = (audioMs: number) => ({ ...nothingConsumed, audioMs })
  expect(bill.check(use(minutes(10)))).toEqual({ isEnough: true })
  expect(bill.check(use(minutes(11)))).toEqual({ isEnough: false, availableNanoUsd: 20_000_000 })
})

test('a model without a price serves unmetered accounts alone', async () => {
  await using hold = holdFor(books.account(20_000_000), testManifest({ type: 'stt', pricing: undefined }))
  expect(await refusal(hold.admit(1))).toEqual(['model_not_priced', expect.any(String)])
})

import { describe, expect, test } from 'bun:test'
import { nothingConsumed } from '../core/usage.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { testPayment } from '../testing/test-payment.ts'
import { Bill, type Till } from './bill.ts'

/** Price of 1 nano-USD per token, in or out */
const pricing = { inputNanoUsd: 1_000_000, outputNanoUsd: 1_000_000, unit: '1M_tokens' } as const

type Settle = Till['settle']

function used(promptTokens: number, completionTokens: number) {
  return { ...nothingConsumed, promptTokens, completionTokens }
}

/** Runs `work` for an account with 100 nano-USD. */
function paid(
  work: (bill: Bill) => AsyncGenerator<string>,
  { isUnmetered = false, settle = (real) => real }: { isUnmetered?: boolean; settle?: (real: Settle) => Settle } = {},
) {
  const books = openTestAccounts()
  const account = books.account(100)
  const { accountId } = account
  if (isUnmetered) books.database.run('UPDATE accounts SET is_unmetered = 1')
  const client = new AbortController()
  const failures: unknown[] = []
  const state = { isStopping: false }
  const { holds } = books.stores
  const till: Till = {
    check: (request) => holds.check(request),
    hold: (request) => holds.hold(request),
    resize: (requestId, amount) => holds.resize(requestId, amount),
    settle: settle((entry) => holds.settle(entry)),
    drop: (requestId) => holds.drop(requestId),
    abandon: (requestId) => holds.abandon(requestId),
  }
  const payment = testPayment({
    account,
    till,
    signal: client.signal,
    isStopping: () => state.isStopping,
    onUnsettled: (error) => failures.push(error),
  })
  const bill = new Bill({ ...payment, request: { ...payment.request, model: 'a/b', pricing, isPriced: true } })
  const run = async function* () {
    try {
      yield* work(bill)
    } finally {
      await bill.close()
    }
  }
  return {
    bill,
    results: run(),
    client,
    state,
    failures,
    record: () => books.stores.usage.find('req_1'),
    /** Returns the money and the record afterwards. Nothing may be held at the end. */
    outcome: (): Record<string, unknown> => {
      const { balance, held } = books.money(accountId)
      const record = books.stores.usage.find('req_1')
      return { balance, held, finish: record?.finish, cost: record?.costNanoUsd, charged: record?.chargedNanoUsd }
    },
    [Symbol.dispose]: () => books[Symbol.dispose](),
  }
}

/** Returns work that holds 60 of the 100 nano-USD, yields a first result, then goes on with `rest`. */
function holding(rest: (bill: Bill) => AsyncGenerator<string>, hasStarted = true) {
  return async function* (bill: Bill) {
    await bill.cover(used(20, 40))
    if (hasStarted) bill.started()
    yield 'first'
    yield* rest(bill)
  }
}

async function* nothing(): AsyncGenerator<string> {}

test('finished work is charged for what it used before its last result is out', async () => {
  using run = paid(
    holding(async function* (bill) {
      await bill.finish(used(20, 10), 'stop')
      yield 'last'
    }),
  )
  expect((await run.results.next()).value).toBe('first')
  expect(run.outcome()).toMatchObject({ balance: 100, held: 60 })
  expect((await run.results.next()).value).toBe('last')
  const outcome = { balance: 70, held: 0, finish: 'stop', cost: 30, charged: 30 }
  expect(run.outcome()).toEqual(outcome)
  expect((await run.results.next()).done).toBe(true)
  expect(run.outcome()).toEqual(outcome)
  expect(run.bill.settlement).toEqual({
    used: used(20, 10),
    costNanoUsd: 30,
    finish: 'stop',
    balanceNanoUsd: 70,
    isEstimated: false,
  })
})

test('an unmetered account is told no balance and charged nothing', async () => {
  const work = holding(async function* (bill) {
    await bill.finish(used(20, 10), 'stop')
    yield 'last'
  })
  using run = paid(work, { isUnmetered: true })
  await Array.fromAsync(run.results)
  expect(run.outcome()).toEqual({ balance: 100, held: 0, finish: 'stop', cost: 30, charged: 0 })
  expect(run.bill.settlement).toMatchObject({ costNanoUsd: 30, balanceNanoUsd: undefined })
})

test('what was estimated is recorded as that', async () => {
  const work = holding(async function* (bill) {
    await bill.finish(used(20, 10), 'stop', true)
    yield 'last'
  })
  using run = paid(work)
  await Array.fromAsync(run.results)
  expect(run.record()).toMatchObject({ isEstimated: true, chargedNanoUsd: 30 })
  expect(run.bill.settlement).toMatchObject({ isEstimated: true, excess: undefined })
})

test('of more than was granted what was granted is charged, and the answer is not lost', async () => {
  for (const isUnmetered of [false, true]) {
    const work = holding(async function* (bill) {
      await bill.finish({ ...used(1e18, 10), cachedTokens: Number.NaN, audioMs: -1 }, 'stop')
      yield 'last'
    })
    using run = paid(work, { isUnmetered })
    expect(await Array.fromAsync(run.results)).toEqual(['first', 'last'])
    expect(run.record()).toMatchObject({ used: used(20, 10), costNanoUsd: 30, chargedNanoUsd: isUnmetered ? 0 : 30 })
    expect(run.bill.settlement?.excess?.message).toContain(
      'more than it was granted: promptTokens 1000000000000000000, of which 20 can be; cachedTokens NaN, of which 0 can be',
    )
  }
})

describe('a client that goes away', () => {
  test('pays for what was computed until then', async () => {
    using run = paid(
      holding(async function* (bill) {
        try {
          yield 'second'
        } finally {
          bill.stoppedAfter(used(20, 3))
        }
      }),
    )
    await run.results.next()
    await run.results.next()
    run.client.abort()
    await run.results.return(undefined)
    expect(run.outcome()).toEqual({ balance: 77, held: 0, finish: 'client_disconnect', cost: 23, charged: 23 })
  })

  test('pays nothing when the engine has told of nothing and had not begun', async () => {
    using run = paid(holding(nothing, false))
    await run.results.next()
    run.client.abort()
    await run.results.return(undefined)
    expect(run.outcome()).toEqual({ balance: 100, held: 0 })
    expect(run.bill.settlement).toBeUndefined()
  })

  test('pays once when it leaves after the end', async () => {
    using run = paid(
      holding(async function* (bill) {
        await bill.finish(used(20, 10), 'stop')
        bill.stoppedAfter(used(20, 10))
        yield 'last'
      }),
    )
    await run.results.next()
    await run.results.next()
    run.client.abort()
    await run.results.return(undefined)
    expect(run.outcome()).toMatchObject({ balance: 70, finish: 'stop' })
  })

  test('pays nothing when it is the server that ends', async () => {
    using run = paid(
      holding(async function* (bill) {
        try {
          yield 'second'
        } finally {
          bill.stoppedAfter(used(20, 3))
        }
      }),
    )
    await run.results.next()
    await run.results.next()
    run.state.isStopping = true
    run.client.abort()
    await run.results.return(undefined)
    expect(run.outcome()).toEqual({ balance: 100, held: 0, finish: 'failed', cost: 0, charged: 0 })
  })
})

describe('a failure', () => {
  async function* dying() {
    yield 'second'
    throw new Error('engine died')
  }
  const failing = holding(dying)

  test('in the middle charges nothing and is recorded', async () => {
    using run = paid(failing)
    expect(await Array.fromAsync(run.results).catch((thrown: unknown) => thrown)).toEqual(new Error('engine died'))
    expect(run.outcome()).toEqual({ balance: 100, held: 0, finish: 'failed', cost: 0, charged: 0 })
  })

  test('before anything was computed leaves no record', async () => {
    using run = paid(holding(dying, false))
    const error = await Array.fromAsync(run.results).catch((thrown: unknown) => thrown)
    expect(error).toEqual(new Error('engine died'))
    expect(run.outcome()).toEqual({ balance: 100, held: 0 })
  })

  test('to settle fails the request; when the disk has room again it costs nothing', async () => {
    const work = holding(async function* (bill) {
      await bill.finish(used(20, 10), 'stop')
      yield 'last'
    })
    let isFull = true
    using run = paid(work, {
      settle: (settle) => (entry) => {
        if (!isFull) return settle(entry)
        isFull = false
        return Promise.reject(new Error('disk full'))
      },
    })
    expect(await Array.fromAsync(run.results).catch((thrown: unknown) => thrown)).toEqual(new Error('disk full'))
    expect(run.outcome()).toEqual({ balance: 100, held: 0, finish: 'failed', cost: 0, charged: 0 })
  })

  test('to settle twice is told, and the money comes back all the same', async () => {
    using run = paid(failing, { settle: () => () => Promise.reject(new Error('disk full')) })
    expect(await Array.fromAsync(run.results).catch((thrown: unknown) => thrown)).toEqual(new Error('engine died'))
    expect(run.failures).toEqual([new Error('disk full')])
    await new Promise(setImmediate) // the next commit
    expect(run.outcome()).toEqual({ balance: 100, held: 0 })
  })
})

test('what cannot be held is not held, and says what is there', async () => {
  using run = paid(async function* (bill) {
    yield JSON.stringify(bill.check(used(50, 51)))
    yield JSON.stringify(await bill.cover(used(50, 51)))
    await bill.cover(used(50, 40))
    yield JSON.stringify(await bill.cover(used(50, 51)))
  })
  expect(await Array.fromAsync(run.results)).toEqual([
    '{"isEnough":false,"availableNanoUsd":100}',
    '{"isEnough":false,"availableNanoUsd":100}',
    '{"isEnough":false,"availableNanoUsd":100}',
  ])
  expect(run.outcome()).toMatchObject({ balance: 100, held: 0 })
})

/**
 * Random parallel requests with an engine that reports anything at any moment: charges never exceed holds, and the
 * books add up.
 */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { costNanoUsd } from '../billing/cost.ts'
import type { Pricing } from '../core/model.ts'
import { ownerOf } from '../core/owner.ts'
import { type Consumption, nothingConsumed } from '../core/usage.ts'
import { OpenRequest } from '../engines/host/open-request.ts'
import type { Grant, RequestEvent } from '../engines/protocol/request-events.ts'
import { chatRequest } from '../testing/chat-request.ts'
import { resolvedModel } from '../testing/resolved-model.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { testPayment } from '../testing/test-payment.ts'
import { workEngines } from '../testing/work-engines.ts'
import { runWork } from './run-work.ts'

const histories = 100

interface Script {
  readonly isOnlyGrant: boolean
  readonly isLimited: boolean
  readonly choices: number
  /** Tokens of the prompt: the estimated most, and the real number */
  readonly promptTokens: readonly [most: number, had: number]
  /** Tokens of all answers: the allowed most, and the number that the engine writes if nothing stops it */
  readonly completionTokens: readonly [most: number, written: number]
  /** End of the work. `waits` means until it is cancelled. */
  readonly end: 'finish' | 'error' | 'death' | 'waits'
  /** Tokens that are left of a grant when the engine asks for the next one */
  readonly askedAhead: number
  readonly isEstimated: boolean
  /** Counts that the engine reports instead of the true ones */
  readonly lie: Partial<Consumption> | undefined
  /** Number of events after which the client disconnects; 0 means at once. */
  readonly leavesAfter: number | undefined
  readonly isStopping: boolean
}

const turn = () => new Promise(setImmediate)

/** Plays one request as a child would. */
function scriptedEngine(script: Script) {
  const { isOnlyGrant, promptTokens, completionTokens, end, askedAhead, isEstimated, lie, choices } = script
  let written = 0
  const said = (): Consumption => ({
    ...nothingConsumed,
    promptTokens: promptTokens[1],
    completionTokens: written,
    ...lie,
  })
  const estimated = isEstimated ? { isEstimated } : {}
  const engines = workEngines(async function* (_model, _work, { meter, signal }) {
    signal.throwIfAborted()
    let grant: Grant | undefined
    let askedWith: Grant | undefined
    let isCancelled = false
    const engine = {
      grant: (_: number, given: Grant) => {
        grant = given
      },
      cancel: () => {
        isCancelled = true
      },
    }
    const open = new OpenRequest({ id: 1, meter, engine })
    const tell = (event: object) => open.receive({ id: 1, ...event } as RequestEvent)
    /** Returns whether `more` tokens are still granted. */
    const isGranted = (more: number) => grant !== undefined && written + more <= grant.limit.completionTokens
    const run = async () => {
      const least = { ...nothingConsumed, promptTokens: Math.min(1, promptTokens[0]) }
      const most = { ...least, promptTokens: promptTokens[0], completionTokens: completionTokens[0] }
      tell({ prepared: { least, most, ...(isOnlyGrant && { isOnlyGrant }) } })
      while (grant === undefined && !isCancelled) await turn()
      if (!isCancelled) tell({ event: { type: 'start', promptTokens: promptTokens[1], cachedTokens: 0 } })
      while (!isCancelled && written < completionTokens[1]) {
        if (grant?.isFinal === false && grant !== askedWith && !isGranted(choices + askedAhead)) {
          askedWith = grant
          tell({ wantsGrant: true })
        }
        while (!isGranted(choices) && grant === askedWith && !isCancelled) await turn()
        if (isCancelled || !isGranted(choices)) break
        written += choices
        tell({ event: { type: 'text-delta', choice: 0, text: 'a' } })
        await turn()
      }
      while (end === 'waits' && !isCancelled) await turn()
      if (isCancelled) return tell({ cancelled: said(), ...estimated })
      if (end === 'error') return tell({ error: { kind: 'engine', message: 'It broke.', code: 'engine_failed' } })
      if (end === 'death') return open.fail(new Error('it died'))
      tell({ event: { type: 'choice-finish', choice: 0, reason: isGranted(1) ? 'stop' : 'length' } })
      tell({ event: { type: 'finish', usage: said(), ...estimated } })
    }
    const running = run()
    try {
      yield* open.events(signal)
    } finally {
      await running
    }
  })
  return { engines, written: () => written }
}

interface Played {
  readonly requestId: string
  readonly script: Script
  readonly hasFinished: boolean
  /** Number of tokens that the engine wrote */
  readonly written: number
}

async function play(
  books: TestAccounts,
  payer: Payer,
  pricing: Pricing,
  script: Script,
  index: number,
): Promise<Played> {
  const requestId = `req_${index}`
  const client = new AbortController()
  const payment = testPayment({
    till: books.stores.holds,
    request: { requestId, endpoint: 'chat/completions', ...payer, owner: ownerOf(payer) },
    signal: client.signal,
    isStopping: () => script.isStopping && client.signal.aborted,
    sliceTokens: 8,
  })
  const request = chatRequest({ choices: script.choices, maxTokens: script.isLimited ? 1 : undefined })
  const resolved = resolvedModel({ pricing })
  const { engines, written } = scriptedEngine(script)
  let hasFinished = false
  let seen = 0
  const leave = () => seen === script.leavesAfter && client.abort(new Error('the client left'))
  try {
    leave()
    for await (const event of runWork({ work: { kind: 'chat', request }, resolved, pool: engines, payment }).events) {
      hasFinished ||= event.type === 'finish'
      // Held money covers what is computed, at every moment.
      const { balance, held } = books.money(payer.accountId)
      expect(held).toBeLessThanOrEqual(balance)
      seen++
      leave()
    }
  } catch (error) {
    expect(String(error)).toMatch(/the client left|It broke|it died|is available|left\. /)
  }
  return { requestId, script, hasFinished, written: written() }
}

interface Payer {
  readonly accountId: string
  readonly keyId: string
}

/** Checks the books after a request has ended. */
function check(books: TestAccounts, pricing: Pricing, { requestId, script, hasFinished, written }: Played): number {
  const record = books.stores.usage.find(requestId)
  if (hasFinished) expect(record?.finish).toBeOneOf(['stop', 'length', 'out_of_balance', 'out_of_budget'])
  if (record === undefined) return 0
  const { used, costNanoUsd: cost, chargedNanoUsd, heldNanoUsd, isEstimated, finish } = record
  expect(chargedNanoUsd).toBe(record.isMetered ? cost : 0)
  expect(chargedNanoUsd).toBeLessThanOrEqual(heldNanoUsd ?? 0)
  expect(cost).toBe(finish === 'failed' ? 0 : costNanoUsd(pricing, used))
  expect(used.promptTokens).toBeLessThanOrEqual(script.promptTokens[0])
  expect(used.completionTokens).toBeLessThanOrEqual(script.completionTokens[0])
  expect(isEstimated).toBe(finish !== 'failed' && script.isEstimated)
  if (script.isStopping) expect(finish).not.toBe('client_disconnect')
  if (script.lie === undefined && finish !== 'failed') {
    expect([used.promptTokens, used.completionTokens]).toEqual([script.promptTokens[1], written])
  }
  return cost
}

const tokens = (max: number) =>
  fc.tuple(fc.nat({ max }), fc.nat({ max })).map(([a, b]) => [Math.max(a, b), Math.min(a, b)] as const)
const lies = fc.constantFrom(-1, 0, 7, 1e18, 0.5, Number.NaN, Number.POSITIVE_INFINITY)
const script: fc.Arbitrary<Script> = fc
  .record({
    isOnlyGrant: fc.boolean(),
    isLimited: fc.boolean(),
    choices: fc.integer({ min: 1, max: 3 }),
    promptTokens: tokens(30),
    answers: tokens(20),
    end: fc.constantFrom('finish', 'finish', 'error', 'death', 'waits'),
    askedAhead: fc.nat({ max: 6 }),
    isEstimated: fc.boolean(),
    lie: fc.option(
      fc.record({
        promptTokens: lies,
        cachedTokens: lies,
        completionTokens: lies,
        reasoningTokens: lies,
        audioMs: lies,
      }),
      { nil: undefined, freq: 2 },
    ),
    leavesAfter: fc.option(fc.nat({ max: 12 }), { nil: undefined, freq: 2 }),
    isStopping: fc.nat({ max: 5 }).map((dice) => dice === 0),
  })
  .map(({ answers: [most, written], ...rest }) => ({
    ...rest,
    completionTokens: [most * rest.choices, written * rest.choices] as const,
    // A request that waits for its cancellation must get one.
    leavesAfter: rest.end === 'waits' ? Math.min(rest.leavesAfter ?? 0, 1) : rest.leavesAfter,
  }))

const price = fc.oneof(fc.nat({ max: 3_000_000 }), fc.nat({ max: 10_000_000_000 }))
const pricings = fc.record({
  ...{ inputNanoUsd: price, outputNanoUsd: price, unit: fc.constant('1M_tokens' as const) },
})

const payers = fc.record({
  balance: fc.nat({ max: 3_000_000 }),
  isUnmetered: fc.boolean(),
  budget: fc.option(fc.nat({ max: 3_000_000 }), { nil: undefined, freq: 2 }),
})

test(`in ${histories} histories of requests side by side nobody pays what was not held, and nothing stays held`, async () => {
  const scripts = fc.array(script, { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(payers, pricings, scripts, async ({ balance, isUnmetered, budget }, pricing, scripts) => {
      using books = openTestAccounts()
      const payer = books.account(balance)
      if (isUnmetered) books.database.run('UPDATE accounts SET is_unmetered = 1')
      await books.stores.commits.run(() => books.stores.limits.set(payer.keyId, { dailyNanoUsd: budget }))
      const played = await Promise.all(scripts.map((script, index) => play(books, payer, pricing, script, index)))
      const cost = played.map((each) => check(books, pricing, each)).reduce((sum, each) => sum + each, 0)
      if (budget !== undefined) expect(cost).toBeLessThanOrEqual(budget)
      expect(books.money(payer.accountId)).toEqual({ balance: balance - (isUnmetered ? 0 : cost), held: 0 })
      expect(books.stores.checkIntegrity().problems).toEqual([])
    }),
    { numRuns: histories },
  )
})

import { expect, test } from 'bun:test'
import type { CatalogEntry, ResolvedModel } from '../catalog/catalog.ts'
import { ApiError } from '../core/errors.ts'
import type { ModelManifest } from '../core/model.ts'
import type { Scores, Vectors } from '../core/texts.ts'
import { nothingConsumed } from '../core/usage.ts'
import type { Work, WorkEvent } from '../core/work.ts'
import type { WorkEngines } from '../engines/protocol/work-engines.ts'
import { estimateOf } from '../testing/grants.ts'
import { resolvedModel } from '../testing/resolved-model.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { testPayment } from '../testing/test-payment.ts'
import { workEngines } from '../testing/work-engines.ts'
import { runWork } from './run-work.ts'

type TextWork = Work<'embed' | 'rerank'>
type TextEvent = WorkEvent<'embed' | 'rerank'>

const embed = { kind: 'embed', request: { inputs: ['a', 'b'] } } as const
const rerank: TextWork = { kind: 'rerank', request: { query: 'q', documents: ['a', 'b'] } }
const vectors: Vectors = { type: 'vectors', dimensions: 1, values: Float32Array.of(1, -1) }
const scores: Scores = { type: 'scores', values: Float32Array.of(0, 1) }

const start: TextEvent = { type: 'start', promptTokens: 7, cachedTokens: 0 }

function computed(result: Vectors | Scores): TextEvent[] {
  return [start, result, { type: 'finish', usage: { ...nothingConsumed, promptTokens: 7 } }]
}

function resolved(manifest: Partial<ModelManifest> = {}, entry: Partial<CatalogEntry> = {}): ResolvedModel {
  const pricing = { priceNanoUsd: 10_000_000, unit: '1M_tokens' } as const
  return resolvedModel({ type: 'embedding', pricing, ...manifest }, entry)
}

/** Engines that report the length of the texts, wait for the grant, then yield the events */
function engines(events: readonly (TextEvent | Error)[]) {
  const calls: [model: string, work: Work, accountId: string][] = []
  const pool = workEngines(async function* ({ manifest }, work, { accountId, meter }) {
    calls.push([manifest.id, work, accountId])
    await meter.begin(estimateOf(7))
    for (const event of events) {
      if (event instanceof Error) throw event
      yield event
    }
  })
  return { pool, calls }
}

interface Setup {
  readonly work?: TextWork
  readonly model?: ResolvedModel
  readonly balance?: number
  readonly onEvent?: (event: TextEvent, money: { balance: number; held: number }) => void
}

/** Runs a request. Returns its result or refusal, and the money afterwards. */
async function run(books: TestAccounts, pool: WorkEngines, setup: Setup = {}) {
  const { work = embed, model = resolved(), balance = 1_000, onEvent = () => undefined } = setup
  const account = books.account(balance)
  const { accountId } = account
  const payment = testPayment({ account, till: books.stores.holds })
  const read = async () => {
    let result: Vectors | Scores | undefined
    for await (const event of runWork({ work, resolved: model, pool, payment }).events) {
      onEvent(event, books.money(accountId))
      if ('values' in event) result = event
      if (event.type === 'finish') return { result, usage: event.usage }
    }
    return undefined
  }
  const outcome = await read().catch((thrown: unknown) => thrown)
  const error = outcome instanceof ApiError ? [outcome.kind, outcome.code, outcome.param] : undefined
  return { outcome, error, money: books.money(accountId), receipt: books.stores.usage.find('req_1') }
}

test('resolves with the result when it is paid for', async () => {
  using books = openTestAccounts()
  const { pool, calls } = engines(computed(vectors))
  const heard: [string, object][] = []
  const { outcome, money, receipt } = await run(books, pool, {
    onEvent: ({ type }, money) => heard.push([type, money]),
  })
  expect(outcome).toMatchObject({ result: vectors, usage: { promptTokens: 7 } })
  expect(money).toEqual({ balance: 930, held: 0 })
  expect(receipt).toMatchObject({ model: 'a/b', chargedNanoUsd: 70, finish: 'stop' })
  expect(heard).toEqual([
    ['start', { balance: 1_000, held: 70 }],
    ['vectors', { balance: 1_000, held: 70 }],
    ['finish', { balance: 930, held: 0 }],
  ])
  expect(calls).toEqual([['a/b', embed, expect.stringMatching(/^acc_/)]])
})

test('scores come of rerankers', async () => {
  using books = openTestAccounts()
  const { pool } = engines(computed(scores))
  const { outcome } = await run(books, pool, { work: rerank, model: resolved({ type: 'rerank' }) })
  expect(outcome).toMatchObject({ result: scores })
})

test('all is held before anything is computed: an account that has less is refused', async () => {
  using books = openTestAccounts()
  const { pool, calls } = engines(computed(vectors))
  const { error, money, receipt } = await run(books, pool, { balance: 69 })
  expect(error).toEqual(['insufficient_balance', 'insufficient_balance', undefined])
  expect(money).toEqual({ balance: 69, held: 0 })
  expect(receipt).toBeUndefined()
  expect(calls).toHaveLength(1)
})

test('engines are not asked where there is not money for one token', async () => {
  using books = openTestAccounts()
  const { pool, calls } = engines([])
  const { error } = await run(books, pool, { balance: 9 })
  expect(error).toEqual(['insufficient_balance', 'insufficient_balance', undefined])
  expect(calls).toEqual([])
})

test.each<[string, Vectors | Scores, TextWork, ModelManifest['type']]>([
  ['a vector that is not of numbers', { ...vectors, values: Float32Array.of(1, Number.NaN) }, embed, 'embedding'],
  ['an endless score', { ...scores, values: Float32Array.of(Number.POSITIVE_INFINITY, 0) }, rerank, 'rerank'],
])('%s is the engine’s failure and costs nothing', async (_, result, work, type) => {
  using books = openTestAccounts()
  const { pool } = engines(computed(result))
  const { error, money, receipt } = await run(books, pool, { work, model: resolved({ type }) })
  expect(error).toEqual(['engine', 'engine_failed', undefined])
  expect(money).toEqual({ balance: 1_000, held: 0 })
  expect(receipt).toMatchObject({ chargedNanoUsd: 0, finish: 'failed' })
})

test.each<[string, readonly TextEvent[]]>([
  ['fewer numbers than were asked for', computed({ ...vectors, values: Float32Array.of(1) })],
  ['scores for vectors', computed(scores)],
  ['nothing', [start]],
  ['nothing but tokens to pay', [start, { type: 'finish', usage: { ...nothingConsumed, promptTokens: 7 } }]],
])('%s are a bug, which costs nothing', async (_, events) => {
  using books = openTestAccounts()
  const { outcome, money } = await run(books, engines(events).pool)
  expect(String(outcome)).toContain('this is a bug')
  expect(money).toEqual({ balance: 1_000, held: 0 })
})

test('what an engine refuses is thrown and costs nothing', async () => {
  using books = openTestAccounts()
  const failure = new ApiError('invalid_request', 'Too long.', { code: 'context_length_exceeded', param: 'input[1]' })
  const { error, money } = await run(books, engines([failure]).pool)
  expect(error).toEqual(['invalid_request', 'context_length_exceeded', 'input[1]'])
  expect(money).toEqual({ balance: 1_000, held: 0 })
})

const refused: [string, Setup, string[]][] = [
  ['a chat model', { model: resolved({ type: 'chat' }) }, ['invalid_request', 'model_type_mismatch', 'model']],
  [
    'a reranker for vectors',
    { model: resolved({ type: 'rerank' }) },
    ['invalid_request', 'model_type_mismatch', 'model'],
  ],
  ['an embedder for scores', { work: rerank }, ['invalid_request', 'model_type_mismatch', 'model']],
  [
    'a model without files',
    { model: resolved({}, { status: { kind: 'available' } }) },
    ['not_found', 'model_not_found', 'model'],
  ],
  [
    'more dimensions than the model has',
    { work: { kind: 'embed', request: { ...embed.request, dimensions: 9 } }, model: resolved({ dimensions: 8 }) },
    ['invalid_request', 'invalid_value', 'dimensions'],
  ],
  [
    'more token ids than the model takes',
    { work: { kind: 'embed', request: { inputs: [[1], [1, 2, 3]] } }, model: resolved({ contextLength: 2 }) },
    ['invalid_request', 'context_length_exceeded', 'input[1]'],
  ],
]
test.each(refused)('engines are not asked for %s', async (_, setup, expected) => {
  using books = openTestAccounts()
  const { pool, calls } = engines(computed(vectors))
  const { error, money } = await run(books, pool, setup)
  expect<(string | undefined)[] | undefined>(error).toEqual(expected)
  expect(calls).toEqual([])
  expect(money.held).toBe(0)
})

test('as many dimensions as the model has are all of them, and only engines know where manifests do not', async () => {
  using books = openTestAccounts()
  const { pool } = engines(computed(vectors))
  const work = { kind: 'embed', request: { ...embed.request, dimensions: 8 } } as const
  expect((await run(books, pool, { work, model: resolved({ dimensions: 8 }) })).error).toBeUndefined()
  expect((await run(books, engines(computed(vectors)).pool, { work })).error?.[1]).not.toBe('invalid_value')
})

test('a token array may be as long as the context', async () => {
  using books = openTestAccounts()
  const { pool } = engines(computed(vectors))
  const work: TextWork = { kind: 'embed', request: { inputs: [[1, 2], 'a'] } }
  expect((await run(books, pool, { work, model: resolved({ contextLength: 2 }) })).error).toBeUndefined()
})

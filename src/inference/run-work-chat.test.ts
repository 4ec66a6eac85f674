import { expect, test } from 'bun:test'
import type { CatalogEntry, ResolvedModel } from '../catalog/catalog.ts'
import type { ChatEvent } from '../core/chat.ts'
import { ApiError } from '../core/errors.ts'
import type { ModelManifest } from '../core/model.ts'
import { nothingConsumed } from '../core/usage.ts'
import type { WorkEngines } from '../engines/protocol/work-engines.ts'
import { chatRequest } from '../testing/chat-request.ts'
import { resolvedModel } from '../testing/resolved-model.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { testPayment } from '../testing/test-payment.ts'
import { workEngines } from '../testing/work-engines.ts'
import { runWork } from './run-work.ts'
import { WorkMeter } from './work-meter.ts'

const request = chatRequest()
const start: ChatEvent = { type: 'start', promptTokens: 1, cachedTokens: 0 }
const finish: ChatEvent = { type: 'finish', usage: nothingConsumed }
const text: ChatEvent = { type: 'text-delta', choice: 0, text: 'a' }

function resolved(entry: Partial<CatalogEntry> = {}, manifest: Partial<ModelManifest> = {}): ResolvedModel {
  return resolvedModel({ defaults: { temperature: 0.5 }, ...manifest }, entry)
}

/** Engines that yield the given events, and a record of their requests and releases */
function engines(events: readonly (ChatEvent | Error)[]) {
  const calls: unknown[] = []
  let isOver = false
  const pool = workEngines(async function* (...call) {
    calls.push(call)
    try {
      for (const event of events) {
        if (event instanceof Error) throw event
        yield event
      }
    } finally {
      isOver = true
    }
  })
  return { pool, calls, isOver: () => isOver }
}

const { signal } = new AbortController()

/** Starts a request. Returns its first event and the rest. */
async function begin(pool: WorkEngines, model = resolved()) {
  const work = { kind: 'chat', request } as const
  const { events } = runWork({ work, resolved: model, pool, payment: testPayment({ signal }) })
  return { first: (await events.next()).value, rest: events }
}

async function refusal(pool: WorkEngines, model?: ResolvedModel) {
  const error = await begin(pool, model).catch((thrown: unknown) => thrown)
  return error instanceof ApiError ? [error.kind, error.code, error.param] : error
}

test('runs the request with the defaults of its model, and ends after the last event', async () => {
  const { pool, calls, isOver } = engines([start, text, finish])
  const chat = await begin(pool)
  expect(chat.first).toEqual(start)
  expect(isOver()).toBe(false)
  expect(await Array.fromAsync(chat.rest)).toEqual([text, finish])
  expect(calls).toEqual([
    [
      expect.objectContaining({ filePaths: { model: '/models/b.gguf' } }),
      { kind: 'chat', request: { ...request, sampling: { temperature: 0.5 }, reasoning: {} } },
      { accountId: 'acc_1', signal, meter: expect.any(WorkMeter) },
    ],
  ])
})

test('giving the rest back at once ends the work', async () => {
  const { pool, isOver } = engines([start, text])
  await (await begin(pool)).rest.return(undefined)
  expect(isOver()).toBe(true)
})

test('a refusal before the start is thrown', async () => {
  const failure = new ApiError('engine', 'It died.', { code: 'engine_failed' })
  expect(await refusal(engines([failure]).pool)).toEqual(['engine', 'engine_failed', undefined])
})

test('engines are not asked for models of other types, without files or with broken ones', async () => {
  const { pool, calls } = engines([start])
  expect(await refusal(pool, resolved({}, { type: 'tts' }))).toEqual([
    'invalid_request',
    'model_type_mismatch',
    'model',
  ])
  expect(await refusal(pool, resolved({ status: { kind: 'available' } }))).toEqual([
    'not_found',
    'model_not_found',
    'model',
  ])
  expect(await refusal(pool, resolved({ status: { kind: 'broken', reason: 'cut short' } }))).toEqual([
    'unavailable',
    'model_unavailable',
    'model',
  ])
  expect(calls).toEqual([])
})

test('events that do not end with a finish are a bug', async () => {
  const { rest } = await begin(engines([start, text]).pool)
  await expect(Array.fromAsync(rest)).rejects.toThrow('this is a bug')
})

test('events that do not begin with a start are a bug, and the work is ended', async () => {
  const { pool, isOver } = engines([text])
  expect(String(await refusal(pool))).toContain('this is a bug')
  expect(isOver()).toBe(true)
})

test('an answer that ends for want of money is told from one that ends for want of context', async () => {
  for (const [end, expected] of [
    [{}, 'out_of_balance'],
    [{ isContextFull: true }, 'length'],
    [{ isRepetition: true }, 'repetition'],
  ] as const) {
    using books = openTestAccounts()
    const pool = workEngines(async function* (_model, _work, { meter }) {
      const most = { ...nothingConsumed, completionTokens: 1_000 }
      await meter.begin({ least: nothingConsumed, most, isOnlyGrant: true })
      yield start
      yield { type: 'choice-finish', choice: 0, reason: 'length', ...end }
      yield finish
    })
    const payment = testPayment({ account: books.account(100), till: books.stores.holds, sliceTokens: 10 })
    const pricing = { outputNanoUsd: 1_000_000, unit: '1M_tokens' } as const
    const { events } = runWork({ work: { kind: 'chat', request }, resolved: resolved({}, { pricing }), pool, payment })
    await Array.fromAsync(events)
    expect(books.stores.usage.find('req_1')?.finish).toBe(expected)
  }
})

import { expect, test } from 'bun:test'
import type { CatalogEntry } from '../catalog/catalog.ts'
import { ApiError } from '../core/errors.ts'
import type { ModelManifest } from '../core/model.ts'
import { nothingConsumed } from '../core/usage.ts'
import { unlimited } from '../engines/protocol/work-engines.ts'
import { chatRequest } from '../testing/chat-request.ts'
import { freeTill } from '../testing/free-till.ts'
import { resolvedModel } from '../testing/resolved-model.ts'
import { testPayment } from '../testing/test-payment.ts'
import { workEngines } from '../testing/work-engines.ts'
import type { Till } from './bill.ts'
import { runWork } from './run-work.ts'

const { signal } = new AbortController()

interface Options {
  readonly check?: Till['check']
  readonly wasLoaded?: boolean
}

function count(
  entry: Partial<CatalogEntry> = {},
  manifest: Partial<ModelManifest> = {},
  { check = freeTill.check, wasLoaded = true }: Options = {},
) {
  const calls: unknown[] = []
  const pool = workEngines(async function* (...call) {
    calls.push(call)
    yield { type: 'start', promptTokens: 42, cachedTokens: 0 }
    yield { type: 'finish', usage: nothingConsumed }
  })
  const alias = { id: 'off', reasoning: 'off' } as const
  const resolved = resolvedModel({ defaults: { temperature: 0.5 }, ...manifest }, entry, alias)
  const work = { kind: 'count', request: chatRequest() } as const
  const payment = testPayment({ till: { ...freeTill, check }, wasLoaded, signal })
  const counted = async () => {
    for await (const event of runWork({ work, resolved, pool, payment }).events) {
      if (event.type === 'start') return event.promptTokens
    }
    return undefined
  }
  return { calls, counted: counted() }
}

test('counts the request as it would be run: with the defaults of its alias and model', async () => {
  const { calls, counted } = count()
  expect(await counted).toBe(42)
  expect(calls).toEqual([
    [
      expect.objectContaining({ filePaths: { model: '/models/b.gguf' } }),
      {
        kind: 'count',
        request: expect.objectContaining({
          sampling: expect.objectContaining({ temperature: 0.5 }),
          reasoning: expect.objectContaining({ mode: 'off' }),
        }),
      },
      { accountId: 'acc_1', signal, meter: unlimited },
    ],
  ])
})

test.each([
  ['a model of another type', {}, { type: 'embedding' as const }, 'model_type_mismatch'],
  ['a model without files', { status: { kind: 'available' as const } }, {}, 'model_not_found'],
])('counts nothing for %s', async (_, entry, manifest, code) => {
  const { calls, counted } = count(entry, manifest)
  const error = await counted.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ code })
  expect(calls).toEqual([])
})

const pricing = { inputNanoUsd: 10_000_000, outputNanoUsd: 30_000_000, unit: '1M_tokens' } as const

/** Returns the check of a metered account with this balance. */
const has =
  (availableNanoUsd: number): Till['check'] =>
  ({ amountNanoUsd }) =>
    amountNanoUsd > availableNanoUsd ? { kind: 'insufficient', availableNanoUsd } : { kind: 'held' }

test('a loaded model counts tokens for accounts without money', async () => {
  expect(await count({}, { pricing }, { check: has(0) }).counted).toBe(42)
})

test('a model is loaded only for accounts that could pay for a token of it', async () => {
  const poor = count({}, { pricing }, { check: has(39), wasLoaded: false })
  await expect(poor.counted).rejects.toMatchObject({ kind: 'insufficient_balance' })
  expect(poor.calls).toEqual([])
  expect(await count({}, { pricing }, { check: has(40), wasLoaded: false }).counted).toBe(42)
  expect(await count({}, { pricing }, { wasLoaded: false }).counted).toBe(42)
})

test('a model without a price counts for unmetered accounts only', async () => {
  await expect(count({}, {}, { check: has(1_000) }).counted).rejects.toMatchObject({ code: 'model_not_priced' })
})

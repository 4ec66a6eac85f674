/** Texts that are spoken, in real engine children, paid from a real ledger. */
import { afterAll, expect, test } from 'bun:test'
import { ApiError } from '../core/errors.ts'
import type { WorkEvent } from '../core/work.ts'
import type { EnginePool } from '../engines/pool.ts'
import { testPool } from '../testing/engine-pool.ts'
import { resolvedModel } from '../testing/resolved-model.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { testPayment } from '../testing/test-payment.ts'
import { runWork } from './run-work.ts'

const pool = testPool()
afterAll(() => pool.stop())

/** Model with a price of 10 nano-USD per character */
const model = resolvedModel(
  {
    type: 'tts',
    pricing: { priceNanoUsd: 10_000_000, unit: '1M_characters' },
    synthesizer: { kind: 'vits', voices: [{ name: 'Ada', speaker: 0, aliases: [] }] },
  },
  { filePaths: {} },
)

interface Setup {
  readonly engines?: EnginePool
  readonly balance?: number
  readonly voice?: string
  readonly signal?: AbortSignal
  readonly onEvent?: (event: WorkEvent<'speak'>) => unknown
}

async function speak(books: TestAccounts, input: string, setup: Setup = {}) {
  const { engines = pool, balance = 10_000, voice = 'ada', onEvent = () => undefined, ...client } = setup
  const account = books.account(balance)
  const seen: string[] = []
  const read = async () => {
    const request = { input, voice, speed: 1, format: 'pcm' } as const
    const payment = testPayment({ account, till: books.stores.holds, ...client })
    for await (const event of runWork({ work: { kind: 'speak', request }, resolved: model, pool: engines, payment })
      .events) {
      seen.push(event.type)
      onEvent(event)
    }
  }
  const error = await read().catch((thrown: unknown) => thrown)
  return {
    error: error instanceof ApiError ? [error.code, error.param] : error,
    seen,
    money: books.money(account.accountId),
    receipt: books.stores.usage.find('req_1'),
  }
}

test('all characters are held ahead and charged, each as one whatever bytes it has', async () => {
  using books = openTestAccounts()
  const { seen, money, receipt } = await speak(books, 'añ 👋')
  expect(seen).toEqual(['start', 'audio', 'audio', 'finish'])
  expect(money).toEqual({ balance: 9_960, held: 0 })
  const used = { characters: 4, promptTokens: 0 }
  expect(receipt).toMatchObject({ heldNanoUsd: 40, chargedNanoUsd: 40, finish: 'stop', used })
})

test('a text that the account cannot pay for, and a voice that there is not, are refused before a model is loaded', async () => {
  using books = openTestAccounts()
  const engines = testPool()
  expect((await speak(books, 'x'.repeat(1_001), { engines })).error).toEqual(['insufficient_balance', undefined])
  expect((await speak(books, 'x', { engines, voice: 'eve' })).error).toEqual(['invalid_value', 'voice'])
  expect(engines.status()).toEqual([])
})

const halfSpoken = JSON.stringify({ script: [{ soundBytes: 10 }, { waitForCancel: true }, { soundBytes: 10 }] })
const half = Math.ceil(halfSpoken.length / 2)

test('a client that disconnects pays for the characters that were spoken', async () => {
  using books = openTestAccounts()
  const client = new AbortController()
  const { error, money, receipt } = await speak(books, halfSpoken, {
    signal: client.signal,
    onEvent: ({ type }) => type === 'audio' && client.abort(new Error('client left')),
  })
  expect(String(error)).toBe('Error: client left')
  expect(money).toEqual({ balance: 10_000 - half * 10, held: 0 })
  expect(receipt).toMatchObject({ chargedNanoUsd: half * 10, finish: 'client_disconnect' })
})

test.each<[string, object]>([
  ['an engine that dies', { crash: 'exit' }],
  ['an engine that fails', { error: { kind: 'engine', code: 'engine_failed', message: 'broken' } }],
])('%s in the midst of a text costs nothing', async (_, action) => {
  using books = openTestAccounts()
  const script = JSON.stringify({ script: [{ soundBytes: 10 }, { delayMs: 1 }, action] })
  const { error, money, receipt } = await speak(books, script)
  expect(error).toEqual(['engine_failed', undefined])
  expect(money).toEqual({ balance: 10_000, held: 0 })
  expect(receipt).toMatchObject({ chargedNanoUsd: 0, finish: 'failed' })
})

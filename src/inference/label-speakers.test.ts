/** A transcription with labelled speakers in real engine children, paid from a real ledger. */
import { afterAll, afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError } from '../core/errors.ts'
import type { InstalledModel } from '../core/model.ts'
import { diarizerId } from '../core/model-counts.ts'
import type { TranscribeRequest } from '../core/speech.ts'
import { nothingConsumed } from '../core/usage.ts'
import type { WorkEvent } from '../core/work.ts'
import { settingsOf } from '../engines/model-settings.ts'
import type { EnginePool, EnginePoolOptions } from '../engines/pool.ts'
import type { WorkEngines } from '../engines/protocol/work-engines.ts'
import { testPool } from '../testing/engine-pool.ts'
import { FakeModels } from '../testing/fake-models.ts'
import { NewPaths } from '../testing/new-paths.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { testPayment } from '../testing/test-payment.ts'
import { workEngines } from '../testing/work-engines.ts'
import { diarizerOf } from './diarizer.ts'
import { runWork } from './run-work.ts'

const GB = 1e9
const models = new FakeModels()
const folder = mkdtempSync(join(tmpdir(), 'inferd-label-speakers-'))
const pools: EnginePool[] = []
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stop()))
})
afterAll(() => {
  models[Symbol.dispose]()
  rmSync(folder, { recursive: true })
})

/** Starts a pool with room for 10 GB of models. */
function startPool(options: Partial<EnginePoolOptions> = {}): EnginePool {
  const pool = testPool({ poolSettings: { limitBytes: 10 * GB }, ...options })
  pools.push(pool)
  return pool
}

/** Returns a model that labels speakers, with these sizes of its two parts. */
function labelling(id: string, bytes = 1 * GB, diarizerBytes = 1 * GB): InstalledModel {
  const { manifest, filePaths } = models.make(id, bytes)
  const { filePaths: parts } = models.make(diarizerId(id).replace(':', '-'), diarizerBytes)
  return {
    manifest: {
      ...manifest,
      type: 'stt',
      pricing: { priceNanoUsd: 60_000, unit: 'minute' },
      capabilities: { diarization: true },
    },
    filePaths: { ...filePaths, segmentation: parts.model ?? '' },
  }
}

interface Scripts {
  readonly transcribe?: readonly object[]
  readonly diarize?: readonly object[]
}

const segment = { type: 'segment', text: 'hello', startSeconds: 0, endSeconds: 1 }
const turns = { type: 'turns', turns: [{ speaker: 0, startSeconds: 0, endSeconds: 1 }] }

/** Requests a transcription of four seconds, which cost 4,000 nano-USD. */
function request(
  { transcribe = [{ output: segment }], diarize = [{ output: turns }] }: Scripts = {},
  speakers: TranscribeRequest['speakers'] = {},
): TranscribeRequest {
  const path = join(folder, `${crypto.randomUUID()}.pcm`)
  const bytes = Buffer.alloc(4 * 32_000)
  bytes.write(JSON.stringify({ transcribe: { script: transcribe }, diarize: { script: diarize } }))
  writeFileSync(path, bytes)
  return { audio: { path, sampleCount: bytes.length / 2 }, wantsWords: false, speakers }
}

interface Asking {
  readonly balance?: number
  readonly signal?: AbortSignal
  readonly waitLimitMs?: number
  readonly onEvent?: (event: WorkEvent<'transcribe'>) => unknown
  readonly onAgain?: () => void
}

async function run(
  books: TestAccounts,
  pool: WorkEngines,
  model: InstalledModel,
  asked: TranscribeRequest,
  {
    balance = 10_000,
    signal = new AbortController().signal,
    waitLimitMs,
    onEvent = () => undefined,
    onAgain,
  }: Asking = {},
) {
  const account = books.account(balance)
  const payment = { ...testPayment({ account, till: books.stores.holds, signal }) }
  const requestId = `req_${crypto.randomUUID()}`
  const entry = { ...model, status: { kind: 'ready' }, addedAtMs: 0 } as const
  const seen: WorkEvent<'transcribe'>[] = []
  const read = async () => {
    const { events } = runWork({
      work: { kind: 'transcribe', request: asked },
      resolved: { requestedId: model.manifest.id, alias: undefined, entry },
      pool,
      payment: { ...payment, request: { ...payment.request, requestId } },
      waitLimitMs,
      onAgain,
    })
    for await (const event of events) {
      seen.push(event)
      onEvent(event)
    }
  }
  const error = await read().catch((thrown: unknown) => thrown)
  return {
    types: seen.map(({ type }) => type),
    error: error instanceof ApiError ? error.code : error instanceof Error ? error.message : error,
    money: books.money(account.accountId),
    receipt: books.stores.usage.find(requestId),
  }
}

function busy(pool: EnginePool): number {
  return pool.status().reduce((sum, { running, waiting }) => sum + running + waiting, 0)
}

test('the turns come before the end, and the recording is paid once', async () => {
  using books = openTestAccounts()
  const pool = startPool()
  const { types, money, receipt } = await run(books, pool, labelling('both/a'), request())
  expect(types).toEqual(['start', 'segment', 'turns', 'finish'])
  expect(money).toEqual({ balance: 6_000, held: 0 })
  expect(receipt).toMatchObject({ model: 'both/a', chargedNanoUsd: 4_000, finish: 'stop' })
  expect(pool.status().map(({ modelId, loads }) => [modelId, loads])).toEqual([
    ['both/a', 1],
    ['both/a:diarizer', 1],
  ])
})

test('engines of both models that end once lose nothing, and the recording is paid once', async () => {
  using books = openTestAccounts()
  using paths = new NewPaths()
  const once = () => ({ crash: 'abort', once: paths.next() })
  const scripts = {
    transcribe: [{ output: segment }, once(), { output: segment }],
    diarize: [once(), { log: 'labelled' }, { output: turns }],
  }
  const lines: string[] = []
  const pool = startPool({ log: ({ message }) => lines.push(message) })
  let current: string[] = []
  const { types, money, receipt } = await run(books, pool, labelling('ends/a'), request(scripts), {
    onEvent: ({ type }) => current.push(type),
    onAgain: () => {
      current = []
    },
  })
  expect(types.at(-1)).toBe('finish')
  expect(current).toEqual(['start', 'segment', 'segment', 'turns', 'finish'])
  expect(money).toEqual({ balance: 6_000, held: 0 })
  expect(receipt).toMatchObject({ chargedNanoUsd: 4_000, finish: 'stop' })
  await pool.stop()
  expect(lines.filter((line) => line === 'labelled')).toHaveLength(1)
})

test('a diarizer that ends engines ends the transcription, and nothing is charged', async () => {
  using books = openTestAccounts()
  const scripts = { diarize: [{ crash: 'abort' }] }
  const { error, money } = await run(books, startPool(), labelling('deadly/a'), request(scripts), {
    onAgain: () => undefined,
  })
  expect([error, money]).toEqual(['engine_failed', { balance: 10_000, held: 0 }])
})

test('a transcription without speakers needs no diarizer', async () => {
  using books = openTestAccounts()
  const pool = startPool()
  const asked = { ...request(), speakers: undefined }
  expect((await run(books, pool, labelling('alone/a'), asked)).types).toEqual(['start', 'segment', 'finish'])
  expect(pool.status()).toHaveLength(1)
})

test('hints reach the diarizer', async () => {
  using books = openTestAccounts()
  const path = join(folder, 'silence.pcm')
  writeFileSync(path, Buffer.alloc(10 * 32_000))
  const audio = { path, sampleCount: 160_000 }
  const found: number[] = []
  await run(
    books,
    startPool(),
    labelling('hint/a'),
    { audio, wantsWords: false, speakers: { minimumSpeakers: 4 } },
    {
      balance: 1e6,
      onEvent: (event) => {
        if (event.type === 'turns') found.push(...event.turns.map(({ speaker }) => speaker))
      },
    },
  )
  expect(found).toEqual([0, 1, 2, 3])
})

test('a client that does not wait for models is asked about the transcription’s alone', async () => {
  using books = openTestAccounts()
  const limits: [string, number | undefined][] = []
  const usage = { ...nothingConsumed, audioMs: 4_000 }
  const pool = workEngines(async function* (_, { kind }, { meter, waitLimitMs }) {
    limits.push([kind, waitLimitMs])
    if (kind === 'diarize') {
      yield { type: 'turns', turns: [] }
      return
    }
    await meter.begin({ least: usage, most: usage })
    yield { type: 'start', promptTokens: 0, cachedTokens: 0 }
    yield { type: 'finish', usage }
  })
  const { types } = await run(books, pool, labelling('hasty/a'), request(), { waitLimitMs: 0 })
  expect(types).toEqual(['start', 'turns', 'finish'])
  expect(limits).toEqual([
    ['transcribe', 0],
    ['diarize', undefined],
  ])
})

test('an account that cannot pay for the recording is refused before a model is loaded', async () => {
  using books = openTestAccounts()
  const pool = startPool()
  const { error, money, receipt } = await run(books, pool, labelling('poor/a'), request(), { balance: 3_999 })
  expect(error).toBe('insufficient_balance')
  expect([money, receipt]).toEqual([{ balance: 3_999, held: 0 }, undefined])
  expect(pool.status()).toEqual([])
})

test('a recording that turns out to be longer is refused before anything is computed', async () => {
  using books = openTestAccounts()
  const asked: string[] = []
  const usage = { ...nothingConsumed, audioMs: 10_001 }
  const pool = workEngines(async function* (_, { kind }, { meter }) {
    asked.push(kind)
    await meter.begin({ least: usage, most: usage })
    yield { type: 'start', promptTokens: 0, cachedTokens: 0 }
  })
  const { error, money, receipt } = await run(books, pool, labelling('long/a'), request())
  expect([error, asked]).toEqual(['insufficient_balance', ['transcribe']])
  expect([money, receipt]).toEqual([{ balance: 10_000, held: 0 }, undefined])
})

const forever = [{ waitForCancel: true }]
const failing = [{ error: { kind: 'engine', code: 'engine_failed', message: 'broken' } }]
const crashing = [{ crash: 'exit' }]

test.each<[string, Scripts]>([
  ['the diarizer fails', { transcribe: forever, diarize: [{ delayMs: 0 }, ...failing] }],
  ['the diarizer dies', { transcribe: forever, diarize: crashing }],
  ['the diarizer fails after the transcription', { diarize: [{ delayMs: 50 }, ...failing] }],
  ['the transcription fails', { transcribe: [{ output: segment }, ...failing], diarize: forever }],
  ['the transcription’s engine dies', { transcribe: [{ output: segment }, ...crashing], diarize: forever }],
])('%s: the other ends too, and nothing is charged', async (name, scripts) => {
  using books = openTestAccounts()
  const pool = startPool()
  const { error, types, money, receipt } = await run(
    books,
    pool,
    labelling(`fails/${name.replaceAll(/\W/g, '')}`),
    request(scripts),
  )
  expect(error).toBe('engine_failed')
  expect(types).not.toContain('turns')
  expect(money).toEqual({ balance: 10_000, held: 0 })
  expect(receipt).toMatchObject({ chargedNanoUsd: 0, finish: 'failed' })
  expect(busy(pool)).toBe(0)
})

test('a client that disconnects while it is heard pays for what was heard', async () => {
  using books = openTestAccounts()
  const pool = startPool()
  const client = new AbortController()
  const transcribe = [{ output: segment }, { waitForCancel: true }, { output: segment }]
  const { error, money, receipt } = await run(
    books,
    pool,
    labelling('gone/a'),
    request({ transcribe, diarize: forever }),
    {
      signal: client.signal,
      onEvent: ({ type }) => type === 'segment' && client.abort(new Error('client left')),
    },
  )
  expect(error).toBe('client left')
  expect(money).toEqual({ balance: 8_000, held: 0 })
  expect(receipt).toMatchObject({ chargedNanoUsd: 2_000, finish: 'client_disconnect' })
  expect(busy(pool)).toBe(0)
})

test('a client that disconnects while only the turns are missing pays for all that was heard', async () => {
  using books = openTestAccounts()
  const client = new AbortController()
  const usage = { ...nothingConsumed, audioMs: 4_000 }
  const complete = Promise.withResolvers<void>()
  const pool = workEngines(async function* (_, work, { meter, signal }) {
    if (work.kind === 'diarize') {
      await complete.promise
      client.abort(new Error('client left'))
      throw signal.reason
    }
    await meter.begin({ least: usage, most: usage })
    yield { type: 'start', promptTokens: 0, cachedTokens: 0 }
    complete.resolve()
    yield { type: 'finish', usage }
  })
  const { money, receipt } = await run(books, pool, labelling('gone/b'), request(), { signal: client.signal })
  expect(money).toEqual({ balance: 6_000, held: 0 })
  expect(receipt).toMatchObject({ chargedNanoUsd: 4_000, finish: 'client_disconnect' })
})

test('a client that disconnects after the diarizer has failed pays nothing', async () => {
  using books = openTestAccounts()
  const client = new AbortController()
  const usage = { ...nothingConsumed, audioMs: 4_000 }
  const pool = workEngines(async function* (_, { kind }, { meter, signal }) {
    if (kind === 'diarize') throw new ApiError('engine', 'broken', { code: 'engine_failed' })
    await meter.begin({ least: usage, most: usage })
    yield { type: 'start', promptTokens: 0, cachedTokens: 0 }
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    client.abort(new Error('client left'))
    meter.cancelled({ ...usage, audioMs: 2_000 }, false)
    throw signal.reason
  })
  const { money, receipt } = await run(books, pool, labelling('late/a'), request(), { signal: client.signal })
  expect(money).toEqual({ balance: 10_000, held: 0 })
  expect(receipt).toMatchObject({ chargedNanoUsd: 0, finish: 'failed' })
})

test('a client that disconnects after the diarizer has failed at the end pays nothing', async () => {
  using books = openTestAccounts()
  const client = new AbortController()
  const usage = { ...nothingConsumed, audioMs: 4_000 }
  const complete = Promise.withResolvers<void>()
  const pool = workEngines(async function* (_, { kind }, { meter }) {
    if (kind === 'diarize') {
      await complete.promise
      throw new ApiError('engine', 'broken', { code: 'engine_failed' })
    }
    try {
      await meter.begin({ least: usage, most: usage })
      yield { type: 'start', promptTokens: 0, cachedTokens: 0 }
      complete.resolve()
      yield { type: 'finish', usage }
    } finally {
      client.abort(new Error('client left'))
    }
  })
  const { money, receipt } = await run(books, pool, labelling('late/b'), request(), { signal: client.signal })
  expect(money).toEqual({ balance: 10_000, held: 0 })
  expect(receipt).toMatchObject({ chargedNanoUsd: 0, finish: 'failed' })
})

test('the events end when the diarizer has stopped', async () => {
  using books = openTestAccounts()
  const usage = { ...nothingConsumed, audioMs: 4_000 }
  let hasStopped = false
  const pool = workEngines(async function* (_, { kind }, { meter, signal }) {
    if (kind === 'diarize') {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      await Bun.sleep(1)
      hasStopped = true
      throw signal.reason
    }
    await meter.begin({ least: usage, most: usage })
    yield { type: 'start', promptTokens: 0, cachedTokens: 0 }
    throw new ApiError('engine', 'broken', { code: 'engine_failed' })
  })
  expect((await run(books, pool, labelling('ends/a'), request())).error).toBe('engine_failed')
  expect(hasStopped).toBe(true)
})

test('where only one of both models fits into memory, one works after the other', async () => {
  using books = openTestAccounts()
  const pool = startPool()
  const [first, second] = [labelling('small/a', 6 * GB, 5 * GB), labelling('small/b', 6 * GB, 5 * GB)]
  const answers = await Promise.all([first, second, first, second].map((model) => run(books, pool, model, request())))
  for (const { types, money } of answers) {
    expect(types).toEqual(['start', 'segment', 'turns', 'finish'])
    expect(money).toEqual({ balance: 6_000, held: 0 })
  }
  expect(busy(pool)).toBe(0)
})

/** Engines that refuse the diarizer while the transcription runs, and a record of their requests */
function crowdedEngines(transcribe: () => AsyncGenerator<WorkEvent<'transcribe'>>, code = 'model_loading') {
  const asked: string[] = []
  const refused = Promise.withResolvers<void>()
  const usage = { ...nothingConsumed, audioMs: 4_000 }
  const pool = workEngines(async function* (_, { kind }, { meter, signal }) {
    signal.throwIfAborted()
    asked.push(kind)
    if (kind === 'diarize') {
      if (!asked.includes('transcribed')) {
        refused.resolve()
        throw new ApiError('unavailable', 'it waits for room', { code })
      }
      yield { type: 'turns', turns: [] }
      return
    }
    await meter.begin({ least: usage, most: usage })
    yield { type: 'start', promptTokens: 0, cachedTokens: 0 }
    await refused.promise
    yield* transcribe()
    asked.push('transcribed')
    yield { type: 'finish', usage }
  })
  return { pool, asked }
}

test.each(['model_loading', 'overloaded'])(
  'a diarizer refused by %s is asked again when the transcription has ended',
  async (code) => {
    using books = openTestAccounts()
    const { pool, asked } = crowdedEngines(async function* () {
      yield { type: 'segment', text: 'hello', startSeconds: 0, endSeconds: 1 }
    }, code)
    const { error, types } = await run(books, pool, labelling('patient/a'), request())
    expect([error, types]).toEqual([undefined, ['start', 'segment', 'turns', 'finish']])
    expect(asked).toEqual(['transcribe', 'diarize', 'transcribed', 'diarize'])
  },
)

test('a diarizer that waits for the end of a transcription that fails is not asked again', async () => {
  using books = openTestAccounts()
  const { pool, asked } = crowdedEngines(async function* () {
    yield { type: 'segment', text: 'hello', startSeconds: 0, endSeconds: 1 }
    throw new ApiError('engine', 'broken', { code: 'engine_failed' })
  })
  const { error } = await run(books, pool, labelling('patient/b'), request())
  expect([error, asked]).toEqual(['engine_failed', ['transcribe', 'diarize']])
})

test('a diarizer that fits nowhere ends the transcription at once, with the numbers', async () => {
  using books = openTestAccounts()
  const asked = request({ transcribe: forever })
  const { error, money } = await run(books, startPool(), labelling('huge/a', 1 * GB, 20 * GB), asked)
  expect(error).toBe('insufficient_memory')
  expect(money).toEqual({ balance: 10_000, held: 0 })
})

test('what is set for a model holds for its diarizer, as far as both know it', () => {
  const model = labelling('set/a')
  const manifest = { ...model.manifest, engine: 'speech', settings: { parallel: 3, threads: 2 } } as const
  const server = { parallel: 8, threads: 0, device: 'cpu' }
  expect(settingsOf(diarizerOf({ ...model, manifest }).manifest, server)).toMatchObject({
    parallel: 3,
    threads: 2,
    device: 'cpu',
  })
})

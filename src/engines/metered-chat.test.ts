/** Grants and cancels between a meter and the fake engine in a real child. */
import { afterEach, expect, test } from 'bun:test'
import type { ChatEvent, ChatRequest } from '../core/chat.ts'
import { textContent } from '../core/content.ts'
import { ApiError } from '../core/errors.ts'
import type { InstalledModel } from '../core/model.ts'
import { type Consumption, nothingConsumed, type Usage } from '../core/usage.ts'
import { chatRequest } from '../testing/chat-request.ts'
import { testPool } from '../testing/engine-pool.ts'
import { estimateOf, lastOf, upTo } from '../testing/grants.ts'
import { testManifest } from '../testing/test-manifest.ts'
import type { EnginePool } from './pool.ts'
import type { Estimate, Grant } from './protocol/request-events.ts'
import { type EngineMeter, unlimited } from './protocol/work-engines.ts'

const pools: EnginePool[] = []
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stop()))
})

function fakePool() {
  const pool = testPool()
  pools.push(pool)
  return pool
}

const model: InstalledModel = {
  manifest: testManifest(),
  filePaths: {},
}

/** A meter that gives out the grants one by one, and records its calls. */
function meterOf(...grants: readonly (Grant | Error | Promise<Grant>)[]) {
  const prompts: Estimate[] = []
  const cancelled: Consumption[] = []
  const left = [...grants]
  const next = async () => {
    const grant = await left.shift()
    if (grant === undefined) throw new Error('asked for more grants than there are')
    if (grant instanceof Error) throw grant
    return grant
  }
  const meter: EngineMeter = {
    begin: (prompt) => {
      prompts.push(prompt)
      return next()
    },
    extend: next,
    cancelled: (usage) => cancelled.push(usage),
  }
  return { meter, prompts, cancelled, left }
}

interface Run {
  readonly meter?: EngineMeter
  readonly signal?: AbortSignal
  readonly request?: Partial<ChatRequest>
  /** Fields of the script besides its actions. */
  readonly more?: object
}

function run(pool: EnginePool, script: unknown, { meter = unlimited, signal, request, more }: Run = {}) {
  const content = typeof script === 'string' ? script : JSON.stringify({ script, ...more })
  const whole = chatRequest({ messages: [{ role: 'user', content: textContent(content) }], ...request })
  const context = { accountId: 'acc_1', signal: signal ?? new AbortController().signal, meter }
  return pool.run(model, { kind: 'chat', request: whole }, context)
}

async function collect(events: AsyncIterable<ChatEvent>) {
  let text = ''
  let usage: Usage | undefined
  const reasons: string[] = []
  for await (const event of events) {
    if (event.type === 'text-delta') text += event.text
    if (event.type === 'choice-finish') reasons.push(event.reason)
    if (event.type === 'finish') usage = event.usage
  }
  return { text, reasons, usage }
}

async function failure(events: AsyncIterable<ChatEvent>): Promise<unknown> {
  return collect(events).then(
    () => 'nothing thrown',
    (error: unknown) => error,
  )
}

const letters = 'a b c d e f'

test('a meter hears how long prompt and answer may be before anything is computed', async () => {
  const pool = fakePool()
  const { meter, prompts, cancelled } = meterOf(lastOf(4))
  const { text, usage } = await collect(run(pool, letters, { meter, request: { maxTokens: 4 } }))
  expect(text).toBe('a b c d ')
  expect(prompts).toEqual([estimateOf(5, 4)])
  expect([usage?.completionTokens, cancelled]).toEqual([4, []])
})

test('an answer goes on from grant to grant, asking for each once', async () => {
  const pool = fakePool()
  const { meter, left } = meterOf(upTo(2), upTo(4), upTo(6), lastOf(8))
  const { text, reasons } = await collect(run(pool, `${letters} g h i j`, { meter }))
  expect(text).toBe('a b c d e f g h ')
  expect([reasons, left]).toEqual([['length'], []])
})

test('each choice has what is granted', async () => {
  const pool = fakePool()
  const { meter } = meterOf(upTo(2), lastOf(4))
  const { text, reasons, usage } = await collect(run(pool, letters, { meter, request: { choices: 2 } }))
  expect(text).toBe('a a b b ')
  expect([reasons, usage?.completionTokens]).toEqual([['length', 'length'], 4])
})

test('an answer that is granted everything ends as it would', async () => {
  const pool = fakePool()
  expect(await collect(run(pool, letters))).toMatchObject({ text: letters, reasons: ['stop'] })
})

test('no more is asked for than an answer may have', async () => {
  const pool = fakePool()
  const { meter } = meterOf(upTo(4))
  const script = ['a', 'b', 'c', 'd', 'e', 'f'].map((text) => ({ text }))
  const answer = await collect(run(pool, script, { meter, request: { maxTokens: 4 } }))
  expect(answer).toMatchObject({ text: 'abcd', reasons: ['length'] })
})

test('a last grant that is behind the answer ends it', async () => {
  const pool = fakePool()
  const { meter } = meterOf(upTo(3), lastOf(3))
  expect(await collect(run(pool, letters, { meter }))).toMatchObject({ text: 'a b c ', reasons: ['length'] })
})

test('a refusal at the beginning is what chat throws, and the engine forgets the request', async () => {
  const pool = fakePool()
  const refusal = new ApiError('insufficient_balance', 'Too little.', { code: 'insufficient_balance' })
  const { meter, cancelled } = meterOf(refusal)
  expect(await failure(run(pool, letters, { meter }))).toBe(refusal)
  expect(cancelled).toEqual([])
  expect(await pool.stats('test/fake')).toMatchObject({ running: 0, generatedTokens: 0, decodedPromptTokens: 0 })
  expect(pool.status()).toMatchObject([{ running: 0, waiting: 0 }])
})

test('a meter that fails later ends the answer, and hears what was computed', async () => {
  const pool = fakePool()
  const broken = new Error('no disk')
  const { meter, cancelled } = meterOf(upTo(3), broken)
  expect(await failure(run(pool, letters, { meter }))).toBe(broken)
  expect(cancelled).toEqual([
    { ...nothingConsumed, promptTokens: 5, cachedTokens: 0, completionTokens: 3, reasoningTokens: 0 },
  ])
})

test('a client that disconnects pays for what was computed', async () => {
  const pool = fakePool()
  const script = [{ reasoning: 'a' }, { text: 'b' }, { waitForCancel: true }]
  for (const way of ['signal', 'return']) {
    const abort = new AbortController()
    const { meter, cancelled } = meterOf(lastOf(9))
    const more = { promptTokens: 7, cachedTokens: 2 }
    const events = run(pool, script, { meter, signal: abort.signal, more, request: { choices: 2 } })
    let deltas = 0
    for await (const { type } of events) {
      if (type.endsWith('delta')) deltas++
      if (deltas === 4) break
    }
    if (way === 'signal') abort.abort()
    expect(cancelled).toEqual([
      { ...nothingConsumed, promptTokens: 7, cachedTokens: 2, completionTokens: 4, reasoningTokens: 2 },
    ])
  }
  const stats = await pool.stats('test/fake')
  expect(stats).toMatchObject({ running: 0, decodedPromptTokens: 10, reusedPromptTokens: 4, generatedTokens: 8 })
})

test('a client that disconnects while its prompt is processed pays for that part', async () => {
  const pool = fakePool()
  const { meter, cancelled } = meterOf(lastOf(9))
  const more = { promptTokens: 100, cachedTokens: 10, prefillTokens: 40 }
  const abort = new AbortController()
  const events = run(pool, [{ waitForCancel: true }, { text: 'a' }], { meter, signal: abort.signal, more })
  expect(await events.next()).toMatchObject({ value: { type: 'start', promptTokens: 100 } })
  abort.abort()
  await failure(events)
  expect(cancelled).toEqual([
    { ...nothingConsumed, promptTokens: 40, cachedTokens: 10, completionTokens: 0, reasoningTokens: 0 },
  ])
})

test('a client that disconnects while its money is held pays nothing', async () => {
  const pool = fakePool()
  const asked = Promise.withResolvers<void>()
  const held = Promise.withResolvers<Grant>()
  const { meter, cancelled } = meterOf(held.promise)
  const watching: EngineMeter = {
    ...meter,
    begin: (prompt) => {
      asked.resolve()
      return meter.begin(prompt)
    },
  }
  const abort = new AbortController()
  const events = run(pool, [{ text: 'a' }], { meter: watching, signal: abort.signal, more: { cachedTokens: 2 } })
  const ended = failure(events)
  await asked.promise
  abort.abort('left')
  held.resolve(lastOf(9))
  expect(await ended).toBe('left')
  expect(cancelled).toEqual([
    { ...nothingConsumed, promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 },
  ])
  expect(await pool.stats('test/fake')).toMatchObject({ running: 0, decodedPromptTokens: 0, reusedPromptTokens: 0 })
})

test('a client that disconnects between two grants pays for the first', async () => {
  const pool = fakePool()
  const asked = Promise.withResolvers<void>()
  const more = Promise.withResolvers<Grant>()
  const { meter, cancelled } = meterOf(upTo(2), more.promise)
  const watching: EngineMeter = {
    ...meter,
    extend: () => {
      asked.resolve()
      return meter.extend()
    },
  }
  const abort = new AbortController()
  const ended = failure(run(pool, letters, { meter: watching, signal: abort.signal }))
  await asked.promise
  abort.abort('left')
  more.resolve(lastOf(9))
  expect(await ended).toBe('left')
  expect(cancelled).toEqual([
    { ...nothingConsumed, promptTokens: 5, cachedTokens: 0, completionTokens: 2, reasoningTokens: 0 },
  ])
})

test('a request ends at once when its client disconnects while the model is loaded', async () => {
  const pool = fakePool()
  const abort = new AbortController()
  const { meter, prompts } = meterOf(lastOf(9))
  const ended = failure(run(pool, letters, { meter, signal: abort.signal }))
  abort.abort('left')
  expect(await ended).toBe('left')
  // The dry run had begun before the client left.
  while (pool.status()[0]?.state === 'estimating') await new Promise(setImmediate)
  expect(pool.status()).toMatchObject([{ state: 'stopped', running: 0, waiting: 0 }])
  expect(await collect(run(pool, letters))).toMatchObject({ text: letters })
  expect(prompts).toEqual([])
})

test('an engine that dies while it is asked what it computed charges nothing', async () => {
  const pool = fakePool()
  const abort = new AbortController()
  const { meter, cancelled } = meterOf(lastOf(9))
  const events = run(pool, [{ text: 'a' }, { waitForCancel: true }], { meter, signal: abort.signal })
  await events.next()
  const pid = pool.status()[0]?.pid ?? 0
  process.kill(pid, 'SIGSTOP') // so that it cannot answer
  abort.abort('left')
  const ended = failure(events)
  process.kill(pid, 'SIGKILL')
  expect([await ended, cancelled]).toEqual(['left', []])
  expect(await collect(run(pool, letters))).toMatchObject({ text: letters })
})

test('a stop ends requests in all states', async () => {
  const pool = fakePool()
  await collect(run(pool, letters))
  /** A meter that delays one of its answers. */
  const slow = (method: 'begin' | 'extend') => {
    const asked = Promise.withResolvers<void>()
    const granted = Promise.withResolvers<Grant>()
    const { meter } = meterOf(upTo(2))
    const answer = () => {
      asked.resolve()
      return granted.promise
    }
    return { meter: { ...meter, [method]: answer }, asked: asked.promise, granted }
  }
  const begun = run(pool, [{ waitForCancel: true }])
  await begun.next()
  const [unpaid, paused] = [slow('begin'), slow('extend')]
  const ends = [begun, run(pool, letters, unpaid), run(pool, letters, paused)].map(failure)
  await Promise.all([unpaid.asked, paused.asked])
  await pool.stop()
  await ends[0]
  expect(ends.map(Bun.peek.status)).toEqual(['fulfilled', 'pending', 'pending'])
  for (const { granted } of [unpaid, paused]) granted.resolve(lastOf(9)) // ends the pending calls
  // Requests without output are to be run again, but there is no other engine.
  const codes = (await Promise.all(ends)).map((error) => Object(error).code)
  expect(codes).toEqual(['model_unavailable', 'model_unavailable', 'engine_failed'])
  expect(pool.status()).toMatchObject([{ state: 'stopped', running: 0, waiting: 0 }])
})

test('a count is neither prepared nor paid for', async () => {
  const pool = fakePool()
  const request = chatRequest({ messages: [{ role: 'user', content: textContent(letters) }] })
  const { meter } = meterOf(new Error('it was asked'))
  const context = { accountId: 'acc_1', signal: new AbortController().signal, meter }
  expect(await Array.fromAsync(pool.run(model, { kind: 'count', request }, context))).toEqual([
    { type: 'start', promptTokens: 5, cachedTokens: 0 },
    { type: 'finish', usage: nothingConsumed },
  ])
  expect(await pool.stats('test/fake')).toMatchObject({ running: 0, decodedPromptTokens: 0 })
})

/** Requests whose engines end while they run, in real children. */
import { afterAll, afterEach, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import type { Clock } from '../../core/clock.ts'
import { textContent } from '../../core/content.ts'
import { ApiError } from '../../core/errors.ts'
import type { Work, WorkEvent } from '../../core/work.ts'
import { chatRequest } from '../../testing/chat-request.ts'
import { testPool } from '../../testing/engine-pool.ts'
import { impatientClock } from '../../testing/impatient-clock.ts'
import { NewPaths } from '../../testing/new-paths.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import { until } from '../../testing/until.ts'
import type { EnginePool } from '../pool.ts'
import { type RequestContext, unlimited } from '../protocol/work-engines.ts'
import { checkEveryMs } from './watchdog.ts'

const paths = new NewPaths()
afterAll(() => paths[Symbol.dispose]())
const pools: EnginePool[] = []
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stop()))
})

function fakePool(options: Parameters<typeof testPool>[0] = {}): EnginePool {
  const pool = testPool(options)
  pools.push(pool)
  return pool
}

/** Returns a clock with real time, except that watchdogs check only when told. */
function watchdogClock() {
  const checks = new Set<() => void>()
  const clock: Clock = {
    nowMs: () => performance.now(),
    after: (ms, callback) => {
      if (ms === checkEveryMs) {
        checks.add(callback)
        return () => checks.delete(callback)
      }
      const timer = setTimeout(callback, ms)
      return () => clearTimeout(timer)
    },
  }
  const check = (times: number) => {
    for (let time = 0; time < times; time++) {
      for (const ring of [...checks]) {
        checks.delete(ring)
        ring()
      }
    }
  }
  return { clock, check }
}

const model = { manifest: testManifest(), filePaths: {} }
const scriptOf = (...script: unknown[]) => JSON.stringify({ script })
const chat = (...script: unknown[]): Work<'chat'> => ({
  kind: 'chat',
  request: chatRequest({ messages: [{ role: 'user', content: textContent(scriptOf(...script)) }] }),
})

function ask<Asked extends Work>(pool: EnginePool, work: Asked, context: Partial<RequestContext> = {}) {
  const { signal } = new AbortController()
  return pool.run(model, work, { accountId: 'acc_1', signal, meter: unlimited, ...context })
}

async function texts(events: AsyncIterable<WorkEvent>): Promise<string> {
  let text = ''
  for await (const event of events) if (event.type === 'text-delta') text += event.text
  return text
}

async function failure(events: AsyncIterable<WorkEvent>): Promise<ApiError> {
  const error = await texts(events).catch((thrown: unknown) => thrown)
  if (!(error instanceof ApiError)) throw new Error(`expected an ApiError, got ${String(error)}`)
  return error
}

for (const crash of ['exit', 'abort', 'kill', 'hang', 'disconnect']) {
  test(`a request that has given nothing outlives its engine: ${crash}`, async () => {
    const { clock, check } = watchdogClock()
    const pool = fakePool({ clock })
    const once = paths.next()
    const answer = Array.fromAsync(ask(pool, chat({ crash, once }, { text: 'answer' })))
    await until(
      'the crash has begun',
      () => existsSync(once),
      (isThere) => isThere,
    )
    if (crash === 'hang') check(5)
    expect((await answer).map(({ type }) => type)).toEqual(['start', 'text-delta', 'choice-finish', 'finish'])
    expect(pool.status()[0]).toMatchObject({ state: 'ready', restarts: 1, running: 0, waiting: 0 })
  })
}

test('so does work of any kind', async () => {
  const audio = { path: paths.next(), sampleCount: 16_000 }
  const speakers = { ...audio, path: paths.next() }
  const dying = () => ({ crash: 'abort', once: paths.next() })
  writeFileSync(audio.path, '')
  writeFileSync(
    speakers.path,
    JSON.stringify({ diarize: { script: [dying(), { output: { type: 'turns', turns: [] } }] } }),
  )
  const transcription = scriptOf(dying(), { output: { type: 'language', language: 'en' } })
  const works: Work[] = [
    { kind: 'embed', request: { inputs: [scriptOf(dying())] } },
    { kind: 'rerank', request: { query: scriptOf(dying()), documents: ['a'] } },
    {
      kind: 'speak',
      request: { input: scriptOf(dying(), { soundBytes: 4 }), voice: 'alloy', format: 'pcm', speed: 1 },
    },
    { kind: 'transcribe', request: { audio, prompt: transcription, wantsWords: false } },
    { kind: 'diarize', request: { audio: speakers } },
  ]
  for (const work of works) {
    const pool = fakePool()
    const events = await Array.fromAsync(ask(pool, work))
    expect([work.kind, events[0]?.type, events.length, events.at(-1)?.type]).toEqual([work.kind, 'start', 3, 'finish'])
    expect(pool.status()[0]?.restarts).toBe(1)
  }
})

test('a count that is sent to an engine that was killed while it was idle is answered', async () => {
  const pool = fakePool()
  await pool.load(model)
  const { request } = chat({ text: 'a' })
  for (let round = 0; round < 3; round++) {
    process.kill(pool.status()[0]?.pid ?? 0, 'SIGKILL')
    const events = await Array.fromAsync(ask(pool, { kind: 'count', request }))
    expect(events.map(({ type }) => type)).toEqual(['start', 'finish'])
  }
})

test('an engine that is killed while it loads loses nobody', async () => {
  const pool = fakePool({ clock: impatientClock() })
  const answers = Promise.all([texts(ask(pool, chat({ text: 'a' }))), texts(ask(pool, chat({ text: 'b' })))])
  while (pool.status()[0]?.pid === undefined) await new Promise(setImmediate)
  process.kill(pool.status()[0]?.pid ?? 0, 'SIGKILL')
  expect(await answers).toEqual(['a', 'b'])
})

test('what was given cannot be taken back: such a request fails with its engine', async () => {
  const pool = fakePool()
  const error = await failure(ask(pool, chat({ text: 'a' }, { crash: 'exit', once: paths.next() }, { text: 'b' })))
  expect([error.kind, error.code]).toEqual(['engine', 'engine_failed'])
})

test('an answer that is sent when it is complete begins again, without what came before', async () => {
  const pool = fakePool()
  let taken: WorkEvent[] = []
  const onAgain = () => {
    taken = []
  }
  const script = [{ text: 'a' }, { crash: 'exit', once: paths.next() }, { text: 'b' }]
  for await (const event of ask(pool, chat(...script), { onAgain })) taken.push(event)
  expect(taken.map(({ type }) => type)).toEqual(['start', 'text-delta', 'text-delta', 'choice-finish', 'finish'])
})

test('a request that ends engines is refused after the second, and at once when it is sent again', async () => {
  const pool = fakePool()
  await pool.load(model)
  const deadly = chat({ crash: 'abort' })
  for (let time = 0; time < 3; time++) {
    const error = await failure(ask(pool, deadly))
    expect([error.kind, error.code]).toEqual(['engine', 'engine_failed'])
    expect(error.message).toContain('each time it was given this request. Nothing was charged')
  }
  expect(await texts(ask(pool, chat({ text: 'others' })))).toBe('others')
  expect(pool.status()[0]?.restarts).toBe(2)
})

test('requests beside two that end engines are all answered', async () => {
  const pool = fakePool()
  await pool.load(model)
  const begun = { log: 'begun' }
  const innocent = Array.from({ length: 6 }, (_, index) =>
    texts(ask(pool, chat(begun, { delayMs: 20 }, { text: `${index}` }), { accountId: `acc_${index % 2}` })),
  )
  const deadly = [chat({ crash: 'abort' }), chat(begun, { crash: 'exit' })].map((work) => failure(ask(pool, work)))
  expect((await Promise.all(deadly)).map(({ code }) => code)).toEqual(['engine_failed', 'engine_failed'])
  expect(await Promise.all(innocent)).toEqual(['0', '1', '2', '3', '4', '5'])
})

test('a request that only ran beside one that ends engines is given to the next engine when it is sent again', async () => {
  const { clock } = watchdogClock()
  let letOthersIn = () => {}
  const after: Clock['after'] = (ms, callback) => {
    if (ms !== 10_000) return clock.after(ms, callback)
    letOthersIn = callback
    return () => undefined
  }
  const pool = fakePool({ clock: { ...clock, after } })
  const [first, second] = [paths.next(), paths.next()]
  const isThere = async (path: string) => {
    await until(
      `${path} is there`,
      () => existsSync(path),
      (isFound) => isFound,
    )
  }
  const waits = (once: string) => ({ waitForCancel: true, once })
  const long = chat(waits(first), waits(second), { text: 'long' })
  const failed = failure(ask(pool, long, { onAgain: () => undefined }))
  await isThere(first)
  const deadly = failure(ask(pool, chat({ crash: 'abort' })))
  await isThere(second)
  letOthersIn()
  expect((await Promise.all([failed, deadly])).map(({ code }) => code)).toEqual(['engine_failed', 'engine_failed'])
  expect(await texts(ask(pool, long))).toBe('long')
})

test('a client that leaves while its request waits for the next engine is not served', async () => {
  const abort = new AbortController()
  const path = paths.next()
  const asked: string[] = []
  const meter = {
    ...unlimited,
    begin: (...[estimate]: Parameters<typeof unlimited.begin>) => {
      asked.push('begin')
      return unlimited.begin(estimate)
    },
    cancelled: () => asked.push('cancelled'),
  }
  const pool = fakePool({
    log: ({ message }) => {
      if (message.startsWith('engine ended')) queueMicrotask(() => abort.abort(new Error('client left')))
    },
  })
  const events = ask(pool, chat({ crash: 'exit', once: path }, { text: 'a' }), { signal: abort.signal, meter })
  expect(await Array.fromAsync(events).catch(String)).toBe('Error: client left')
  expect([asked, existsSync(path)]).toEqual([['begin'], true])
  expect(await texts(ask(pool, chat({ text: 'others' })))).toBe('others')
})

test('each run is granted anew, and a run that ends without its engine tells what it used once', async () => {
  const pool = fakePool()
  let begun = 0
  const meter = {
    ...unlimited,
    begin: (...[estimate]: Parameters<typeof unlimited.begin>) => {
      begun++
      return unlimited.begin(estimate)
    },
  }
  const events = await Array.fromAsync(ask(pool, chat({ crash: 'exit', once: paths.next() }, { text: 'a' }), { meter }))
  expect(begun).toBe(2)
  expect(events.at(-1)).toMatchObject({ type: 'finish', usage: { promptTokens: 5, completionTokens: 1 } })
})

test('a request that has run alone for long lets others in', async () => {
  const { clock } = watchdogClock()
  const after: Clock['after'] = (ms, callback) => clock.after(ms === 10_000 ? 0 : ms, callback)
  const pool = fakePool({ clock: { ...clock, after } })
  await pool.load(model)
  const leaving = new AbortController()
  const held = texts(
    ask(pool, chat({ crash: 'kill', once: paths.next() }, { waitForCancel: true }), { signal: leaving.signal }),
  ).catch(String)
  expect(await texts(ask(pool, chat({ text: 'others' })))).toBe('others')
  leaving.abort('client left')
  expect(await held).toBe('client left')
})

test('an operator who unloads a model at once fails its requests, also those that have been given nothing', async () => {
  const begun = Promise.withResolvers<void>()
  const pool = fakePool({ log: ({ message }) => message === 'begun' && begun.resolve() })
  const failed = failure(ask(pool, chat({ log: 'begun' }, { waitForCancel: true })))
  await begun.promise
  await pool.unload('test/fake')
  expect((await failed).code).toBe('engine_failed')
  expect(pool.status()[0]).toMatchObject({ state: 'stopped' })
})

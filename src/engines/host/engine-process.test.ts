/** Transitions that a real child passes too fast to test: here the test plays the child. */
import { expect, test } from 'bun:test'
import type { Clock } from '../../core/clock.ts'
import type { EngineKind, InstalledModel } from '../../core/model.ts'
import type { EngineInfo } from '../../core/model-state.ts'
import { nothingConsumed } from '../../core/usage.ts'
import { chatRequest } from '../../testing/chat-request.ts'
import { noRuntimePaths } from '../../testing/engine-pool.ts'
import { testEngineSettings } from '../../testing/engine-settings.ts'
import { impatientClock } from '../../testing/impatient-clock.ts'
import { ManualClock } from '../../testing/manual-clock.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import { LoadError } from '../protocol/load-error.ts'
import type { ToEngine } from '../protocol/messages.ts'
import { unlimited } from '../protocol/work-engines.ts'
import { DeadlyParts } from './deadly-parts.ts'
import type { ProcessEvent } from './engine-life.ts'
import { EngineProcess } from './engine-process.ts'
import type { EngineChildHandlers, EngineSpawn } from './spawn-engine.ts'
import { checkEveryMs } from './watchdog.ts'

const info: EngineInfo = { device: 'cpu', description: 'none', contextTokens: 1024, parallel: 2 }

interface Child extends EngineChildHandlers {
  readonly received: (ToEngine['type'] | 'SIGTERM' | 'SIGKILL')[]
  /** Message that asks the child to load the model. */
  load: Extract<ToEngine, { type: 'load' }> | undefined
}

function startProcess({
  spawnError,
  engine = 'fake',
  isCautious = false,
  checkFiles,
  clock = impatientClock(() => 1_000_000),
}: {
  spawnError?: Error
  engine?: EngineKind
  isCautious?: boolean
  checkFiles?: (model: InstalledModel, signal: AbortSignal) => Promise<void>
  clock?: Clock
} = {}) {
  const children: Child[] = []
  const arrivals: ((child: Child) => void)[] = []
  const events: ProcessEvent[] = []
  const spawn: EngineSpawn = (_, handlers) => {
    if (spawnError !== undefined) throw spawnError
    const child: Child = { ...handlers, received: [], load: undefined }
    children.push(child)
    const send = (message: ToEngine) => {
      child.received.push(message.type)
      if (message.type === 'load') child.load = message
    }
    queueMicrotask(() => arrivals.shift()?.(child))
    return { pid: children.length, send, kill: (signal) => child.received.push(signal) }
  }
  const process = new EngineProcess({
    model: { manifest: testManifest({ id: 'test/x', engine }), filePaths: {} },
    placement: { layers: 3 },
    isCautious,
    deadlyParts: new DeadlyParts(),
    host: {
      spawn,
      settings: testEngineSettings,
      runtime: async () => noRuntimePaths,
      log: () => undefined,
      ...(checkFiles && { checkFiles }),
      pastTokens: (modelId) => (modelId === 'test/x' ? [300, 5000] : []),
      clock,
    },
    onEvent: (event) => events.push(event),
  })
  const nextChild = () => new Promise<Child>((resolve) => arrivals.push(resolve))
  return { process, children, nextChild, events }
}

/** Returns a process whose child has loaded the model. */
async function readyProcess() {
  const started = startProcess()
  const child = await started.nextChild()
  child.onMessage({ type: 'ready', info })
  return { ...started, child }
}

const message = (promise: Promise<unknown>) =>
  promise.then(() => 'nothing thrown').catch((error: Error) => error.message)

const request = chatRequest()
const chat = { kind: 'chat', request } as const
const context = (signal = new AbortController().signal, meter = unlimited) => ({ accountId: 'acc_1', signal, meter })

test('a child is told what to load and where, and its process is told of when it serves', async () => {
  const { process, child, events } = await readyProcess()
  expect(child.load).toMatchObject({
    kind: 'fake',
    placement: { layers: 3 },
    isCautious: false,
    pastTokens: [300, 5000],
  })
  expect(events).toEqual([{ type: 'started', info, isCautious: false }])
  expect([process.pid, process.info]).toEqual([1, info])
})

test('a child that becomes ready while it is being stopped does not serve', async () => {
  const { process, nextChild, events } = startProcess()
  const child = await nextChild()
  process.stop('graceful')
  child.onMessage({ type: 'ready', info })
  child.onExit('exit code 0')
  expect(events).toEqual([{ type: 'exited', reason: 'it was stopped', wasAsked: true, cause: 'ended' }])
  expect([process.pid, process.info]).toEqual([undefined, undefined])
})

test('a program that cannot be started is a failed load with the reason', async () => {
  const { events } = startProcess({ spawnError: new Error('ENOENT: no such file') })
  await new Promise(setImmediate)
  const reason = 'ENOENT: no such file'
  expect(events).toEqual([
    { type: 'start-failed', code: 'other', reason },
    { type: 'exited', reason, wasAsked: false, cause: 'ended' },
  ])
})

test('files are checked beside the load, and nobody is served before they are', async () => {
  const check = Promise.withResolvers<void>()
  const { process, nextChild, events } = startProcess({ checkFiles: () => check.promise })
  const child = await nextChild()
  child.onMessage({ type: 'ready', info })
  expect([events, process.info]).toEqual([[], undefined])
  check.resolve()
  await check.promise
  expect(events).toEqual([{ type: 'started', info, isCautious: false }])
})

const damaged = { code: 'bad-model', reason: 'model.gguf is damaged' } as const

test.each([
  ['still loads', () => undefined],
  ['is ready', (child: Child) => child.onMessage({ type: 'ready', info })],
  ['was ended by them', (child: Child) => child.onExit('signal SIGSEGV')],
])('damaged files fail the load of a child that %s, and are the reason', async (_, happened) => {
  const check = Promise.withResolvers<void>()
  const { nextChild, children, events } = startProcess({ checkFiles: () => check.promise, engine: 'onnx' })
  const child = await nextChild()
  happened(child)
  check.reject(new LoadError(damaged.code, damaged.reason))
  await new Promise(setImmediate)
  if (!child.received.includes('SIGKILL')) throw new Error('it goes on')
  child.onExit('signal SIGKILL')
  expect(events).toEqual([
    { type: 'start-failed', ...damaged },
    { type: 'exited', reason: damaged.reason, wasAsked: false, cause: 'ended' },
  ])
  expect(children).toHaveLength(1)
})

test.each([
  ['has not begun', async () => undefined],
  ['still loads', async (child: Promise<Child>) => void (await child)],
  ['is ready', async (child: Promise<Child>) => (await child).onMessage({ type: 'ready', info })],
  ['has crashed', async (child: Promise<Child>) => (await child).onExit('signal SIGSEGV')],
])('a load that %s is stopped at once, however long its files are checked', async (_, happened) => {
  let signal: AbortSignal | undefined
  const check = Promise.withResolvers<void>()
  const checkFiles = (_: InstalledModel, given: AbortSignal) => {
    signal = given
    return check.promise
  }
  const { process, nextChild, children, events } = startProcess({ checkFiles, engine: 'onnx' })
  await happened(nextChild())
  process.stop('now')
  expect(signal?.aborted).toBe(true)
  children[0]?.onExit('signal SIGKILL')
  const exits: ProcessEvent[] = [{ type: 'exited', reason: 'it was stopped', wasAsked: true, cause: 'ended' }]
  expect(events).toEqual(exits)
  check.reject(new LoadError(damaged.code, damaged.reason))
  await new Promise(setImmediate)
  expect(events).toEqual(exits)
})

test('a child that waits for the check of its files is asked whether it lives, and its load goes on as long as it answers', async () => {
  const clock = new ManualClock()
  const check = Promise.withResolvers<void>()
  const { nextChild, events } = startProcess({ checkFiles: () => check.promise, clock })
  const child = await nextChild()
  child.onMessage({ type: 'ready', info })
  for (let times = 0; times < 200; times++) {
    clock.pass(checkEveryMs)
    child.onMessage({ type: 'stats', id: 0, stats: undefined })
  }
  expect(child.received).not.toContain('SIGKILL')
  expect(events).toEqual(Array.from({ length: 200 }, () => ({ type: 'progress' }) as const))
  check.resolve()
  await check.promise
  expect(events.at(-1)).toEqual({ type: 'started', info, isCautious: false })
})

test('a request given up in its first moment does not reach the child', async () => {
  const { process, child } = await readyProcess()
  const abort = new AbortController()
  const first = message(process.run(chat, context(abort.signal)).next())
  abort.abort(new Error('client left'))
  expect(await first).toBe('client left')
  expect(child.received).not.toContain('run')
})

test('a request that was given up neither runs nor waits, and ends when the child says so', async () => {
  const { process, child } = await readyProcess()
  const abort = new AbortController()
  let begun = 0
  let ends = 0
  const first = message(
    process.run(chat, context(abort.signal), { onBegin: () => begun++, onEnd: () => ends++ }).next(),
  )
  await new Promise(setImmediate)
  expect([process.running, begun]).toEqual([0, 0])
  abort.abort(new Error('client left'))
  expect(child.received).toEqual(['load', 'run', 'cancel'])
  expect([process.running, begun, ends]).toEqual([0, 1, 0])
  child.onMessage({ type: 'events', events: [{ id: 1, cancelled: nothingConsumed }] })
  expect(ends).toBe(1)
  expect(await first).toBe('client left')
  expect(ends).toBe(1)
})

/** 5 MB: two pieces. */
const large = { kind: 'chat', request: { ...request, packed: new Uint8Array(5_000_000) } } as const

test('a large request is given up between its pieces', async () => {
  const { process, child } = await readyProcess()
  const abort = new AbortController()
  const first = message(process.run(large, context(abort.signal)).next())
  while (!child.received.includes('packed')) await Promise.resolve()
  abort.abort(new Error('client left'))
  expect(await first).toBe('client left')
  expect(child.received).toEqual(['load', 'packed', 'packed', 'cancel'])
})

test('a large request fails whose child ends between its pieces', async () => {
  const { process, child } = await readyProcess()
  let ends = 0
  const first = message(process.run(large, context(), { onEnd: () => ends++ }).next())
  while (!child.received.includes('packed')) await Promise.resolve()
  child.onExit('signal SIGKILL')
  expect(await first).toContain('stopped working')
  expect(child.received).not.toContain('run')
  expect(ends).toBe(1)
})

test('requests that are abandoned fail at once, and those that come', async () => {
  const { process, child } = await readyProcess()
  let ends = 0
  const running = message(process.run(chat, context(), { onEnd: () => ends++ }).next())
  while (!child.received.includes('run')) await Promise.resolve()
  process.abandonRequests('it was unloaded')
  expect(ends).toBe(1)
  expect(await running).toContain('stopped working')
  expect(await message(process.run(chat, context(), { onEnd: () => ends++ }).next())).toContain('stopped working')
  expect(ends).toBe(2)
})

test('the layout of the cache is as the latest counters tell it', async () => {
  const { process, child } = await readyProcess()
  const cacheLayout = { isUnified: false, sequences: 4, tokensEach: 8192, reason: 'long-requests' } as const
  const counters = { steps: 0, threads: 1, running: 0, waiting: 0, decodedPromptTokens: 0, reusedPromptTokens: 0 }
  const asked = process.stats()
  child.onMessage({ type: 'stats', id: 1, stats: { ...counters, generatedTokens: 0, cacheLayout } })
  await asked
  expect(process.info).toEqual({ ...info, cacheLayout })
})

test('counters that are asked for when the child ends are not known', async () => {
  const { process, child } = await readyProcess()
  const stats = process.stats()
  child.onExit('signal SIGKILL')
  expect(await stats).toBeUndefined()
})

test('what a child still says of a request that is over is dropped, and its end counts before it is read', async () => {
  const { process, child } = await readyProcess()
  let begun = 0
  let ends = 0
  const answer = Array.fromAsync(process.run(chat, context(), { onBegin: () => begun++, onEnd: () => ends++ }))
  // Lets the request be sent to the child.
  await new Promise(setImmediate)
  expect(child.received).toContain('run')
  const start = { type: 'start', promptTokens: 1, cachedTokens: 0 } as const
  const finish = { type: 'finish', usage: nothingConsumed } as const
  const late = { type: 'text-delta', choice: 0, text: 'late' } as const
  const said = (...events: (typeof start | typeof finish | typeof late)[]) =>
    child.onMessage({ type: 'events', events: events.map((event) => ({ id: 1, event })) })
  said(start, finish, late)
  expect(ends).toBe(1)
  said(late, finish)
  expect(await answer).toEqual([start, finish])
  expect([process.running, begun, ends]).toEqual([0, 1, 1])
})

test('a model that kills its engine while it is loaded is tried once more, with care', async () => {
  const { children, nextChild, events } = startProcess({ engine: 'onnx' })
  const first = nextChild()
  const second = nextChild()
  ;(await first).onExit('signal SIGSEGV')
  ;(await second).onMessage({ type: 'ready', info })
  expect(children.map(({ load }) => load?.isCautious)).toEqual([false, true])
  expect(events).toEqual([{ type: 'started', info, isCautious: true }])
})

test('a stop between two tries is the end', async () => {
  const { process, children, nextChild, events } = startProcess({ engine: 'onnx' })
  ;(await nextChild()).onExit('signal SIGSEGV')
  process.stop('now')
  children[1]?.onExit('signal SIGKILL')
  expect(children).toHaveLength(2)
  expect(events.map(({ type }) => type)).toEqual(['exited'])
})

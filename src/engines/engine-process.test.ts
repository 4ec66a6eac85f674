/** The transitions that a real child goes through too fast to be caught in: here the child says what the test says. */
import { expect, test } from 'bun:test'
import type { EngineKind, InstalledModel } from '../core/model.ts'
import { nothingConsumed } from '../core/usage.ts'
import { chatRequest } from '../testing/chat-request.ts'
import { testEngineSettings } from '../testing/engine-settings.ts'
import { impatientClock } from '../testing/impatient-clock.ts'
import { testManifest } from '../testing/test-manifest.ts'
import { EngineProcess, type EngineProcessOptions } from './engine-process.ts'
import type { EngineInfo, ToEngine } from './protocol.ts'
import type { EngineChildHandlers, EngineSpawn } from './spawn-engine.ts'
import { unlimited } from './work-engines.ts'

const info: EngineInfo = { device: 'cpu', description: 'none', contextTokens: 1024, parallel: 2 }

interface Child extends EngineChildHandlers {
  readonly received: ToEngine['type'][]
  /** Whether it was told to load with care. */
  isCautious: boolean | undefined
}

function startProcess(spawnError?: Error, engine: EngineKind = 'fake', setup: Partial<EngineProcessOptions> = {}) {
  const children: Child[] = []
  const arrivals: ((child: Child) => void)[] = []
  const spawn: EngineSpawn = (_, handlers) => {
    if (spawnError !== undefined) throw spawnError
    const child: Child = { ...handlers, received: [], isCautious: undefined }
    children.push(child)
    arrivals.shift()?.(child)
    const send = (message: ToEngine) => {
      child.received.push(message.type)
      if (message.type === 'load') child.isCautious = message.isCautious
    }
    return { pid: children.length, send, kill: () => undefined }
  }
  const model: InstalledModel = {
    manifest: testManifest({ id: 'test/x', engine }),
    filePaths: {},
  }
  const process = new EngineProcess(model, {
    spawn,
    settings: testEngineSettings,
    runtime: async () => ({ nodeLlamaCpp: '', addons: '', onnxRuntime: '', tokenizers: '' }),
    log: () => undefined,
    clock: impatientClock(() => 1_000_000),
    onIdle: () => undefined,
    ...setup,
  })
  const nextChild = () => new Promise<Child>((resolve) => arrivals.push(resolve))
  return { process, model, children, nextChild }
}

/** Its first child has loaded the model. */
async function readyProcess(setup: Partial<EngineProcessOptions> = {}) {
  const { process, model, nextChild } = startProcess(undefined, 'fake', setup)
  const arrived = nextChild()
  const ready = process.load(model)
  const child = await arrived
  child.onMessage({ type: 'ready', info })
  await ready
  return { process, model, child, nextChild }
}

const message = (promise: Promise<unknown>) =>
  promise.then(() => 'nothing thrown').catch((error: Error) => error.message)

const request = chatRequest()
const context = (signal = new AbortController().signal, meter = unlimited) => ({ accountId: 'acc_1', signal, meter })

test('a child that becomes ready while it is being stopped stays stopped', async () => {
  const { process, model, children, nextChild } = startProcess()
  const arrived = nextChild()
  const ready = message(process.load(model))
  const child = await arrived
  const stopped = process.unload()
  child.onMessage({ type: 'ready', info })
  expect(await ready).toContain('is being stopped')
  child.onExit('exit code 0')
  await stopped
  expect(process.status()).toMatchObject({ state: 'stopped', lastExit: undefined })
  expect(children).toHaveLength(1)
})

test('a model is unloaded when it has had no request for as long as it is kept', async () => {
  const timers: { ms: number; callback: () => void; isCancelled?: true }[] = []
  const clock: EngineProcessOptions['clock'] = {
    nowMs: () => 0,
    after: (ms, callback) => {
      const timer: (typeof timers)[number] = { ms, callback }
      timers.push(timer)
      return () => {
        timer.isCancelled = true
      }
    },
  }
  const waiting = () => timers.filter(({ ms, isCancelled }) => ms === 5 * 60_000 && isCancelled !== true)
  const settings = { ...testEngineSettings, keepAliveMs: 300_000 }
  const { process, model, child } = await readyProcess({ clock, settings })
  expect(waiting()).toHaveLength(1)
  const events = process.run(model, { kind: 'chat', request }, context())
  const first = events.next()
  while (!child.received.includes('run')) await Promise.resolve()
  const whileBusy = waiting()
  for (const { callback } of whileBusy) callback()
  expect(child.received).not.toContain('stop')
  child.onMessage({ type: 'events', events: [{ id: 1, event: { type: 'finish', usage: nothingConsumed } }] })
  // The time counts from the engine's end, though the consumer has not read it.
  expect(waiting()[0]).not.toBe(whileBusy[0])
  await first
  await events.next()
  expect(waiting()).toHaveLength(1)
  waiting()[0]?.callback()
  expect(child.received.at(-1)).toBe('stop')
})

test('every unload resolves when the child has ended', async () => {
  const { process, child } = await readyProcess()
  const both = Promise.all([process.unload(), process.unload()])
  child.onExit('exit code 0')
  await both
  expect(process.status().state).toBe('stopped')
})

test('a program that cannot be started is a failed load with the reason', async () => {
  const { process, model } = startProcess(new Error('ENOENT: no such file'))
  expect(await message(process.load(model))).toContain('could not be loaded')
  expect(process.status().failedLoad).toBe('ENOENT: no such file')
  expect(process.status()).toMatchObject({ state: 'stopped', lastExit: 'ENOENT: no such file' })
})

test('a request whose client has disconnected loads nothing', async () => {
  const { process, model, children } = startProcess()
  const events = process.run(model, { kind: 'chat', request }, context(AbortSignal.abort(new Error('client left'))))
  expect(await message(events.next())).toBe('client left')
  expect(children).toHaveLength(0)
})

test('a request given up in its first moment does not reach the child', async () => {
  const { process, model, child } = await readyProcess()
  const abort = new AbortController()
  const first = message(process.run(model, { kind: 'chat', request }, context(abort.signal)).next())
  abort.abort(new Error('client left'))
  expect(await first).toBe('client left')
  expect(child.received).toEqual(['load'])
})

test('a request that was given up neither runs nor waits while the child still works on it', async () => {
  const { process, model, child } = await readyProcess()
  const abort = new AbortController()
  const first = message(process.run(model, { kind: 'chat', request }, context(abort.signal)).next())
  await new Promise(setImmediate)
  expect(process.status()).toMatchObject({ running: 0, waiting: 1 })
  abort.abort(new Error('client left'))
  expect(child.received).toEqual(['load', 'run', 'cancel'])
  expect(process.status()).toMatchObject({ running: 0, waiting: 0 })
  child.onExit('exit code 1')
  expect(await first).toBe('client left')
})

/** 5 MB: two pieces. */
const large = { kind: 'chat', request: { ...request, packed: new Uint8Array(5_000_000) } } as const

test('a large request is given up between its pieces', async () => {
  const { process, model, child } = await readyProcess()
  const abort = new AbortController()
  const first = message(process.run(model, large, context(abort.signal)).next())
  while (!child.received.includes('packed')) await Promise.resolve()
  abort.abort(new Error('client left'))
  expect(await first).toBe('client left')
  expect(child.received).toEqual(['load', 'packed', 'packed', 'cancel'])
})

test('a large request fails whose child ends between its pieces', async () => {
  const { process, model, child, nextChild } = await readyProcess()
  const first = message(process.run(model, large, context()).next())
  while (!child.received.includes('packed')) await Promise.resolve()
  const next = nextChild()
  child.onExit('signal SIGKILL')
  ;(await next).onMessage({ type: 'ready', info })
  expect(await first).toContain('stopped working')
  expect(child.received).not.toContain('run')
})

test('counters that are asked for when the child ends are not known', async () => {
  const { process, child } = await readyProcess()
  const stats = process.stats()
  child.onExit('signal SIGKILL')
  expect(await stats).toBeUndefined()
})

test('a model that has changed is loaded again once its last request has ended', async () => {
  const { process, model, child, nextChild } = await readyProcess()
  const answer = Array.fromAsync(process.run(model, { kind: 'chat', request }, context()))
  while (!child.received.includes('run')) await Promise.resolve()
  await process.load({ ...model, filesVersion: 'changed' })
  expect(child.received).not.toContain('stop')
  const next = nextChild()
  child.onMessage({ type: 'events', events: [{ id: 1, event: { type: 'finish', usage: nothingConsumed } }] })
  await answer
  expect(child.received.at(-1)).toBe('stop')
  child.onExit('exit code 0')
  expect((await next).received).toEqual(['load'])
})

test('a load that succeeds forgets why the last one failed', async () => {
  const { process, model, nextChild } = startProcess()
  const first = nextChild()
  const failed = message(process.load(model))
  ;(await first).onExit('exit code 1')
  expect(await failed).toContain('could not be loaded')
  const second = nextChild()
  const ready = process.load(model)
  ;(await second).onMessage({ type: 'ready', info })
  await ready
  expect(process.status()).toMatchObject({ state: 'ready', failedLoad: undefined, lastExit: 'exit code 1' })
})

test('what a child still says of a request that is over is dropped', async () => {
  const { process, model, nextChild } = startProcess()
  const arrived = nextChild()
  const answer = Array.fromAsync(process.run(model, { kind: 'chat', request }, context()))
  const child = await arrived
  child.onMessage({ type: 'ready', info })
  // The request has been sent to the child.
  await new Promise(setImmediate)
  expect(child.received).toContain('run')
  const start = { type: 'start', promptTokens: 1, cachedTokens: 0 } as const
  const finish = { type: 'finish', usage: nothingConsumed } as const
  const late = { type: 'text-delta', choice: 0, text: 'late' } as const
  child.onMessage({
    type: 'events',
    events: [
      { id: 1, event: start },
      { id: 1, event: finish },
      { id: 1, event: late },
    ],
  })
  child.onMessage({
    type: 'events',
    events: [
      { id: 1, event: late },
      { id: 1, event: finish },
      { id: 7, event: late },
    ],
  })
  expect(await answer).toEqual([start, finish])
  expect(process.status()).toMatchObject({ state: 'ready', running: 0, waiting: 0 })
})

test('an old crash is not the reason of a stop', async () => {
  const { process, model, nextChild } = startProcess()
  const first = nextChild()
  const failed = message(process.load(model))
  const crashed = await first
  crashed.onExit('signal SIGSEGV')
  expect(await failed).toContain('could not be loaded')
  expect(process.status()).toMatchObject({ failedLoad: 'signal SIGSEGV', lastExit: 'signal SIGSEGV' })
  const second = nextChild()
  const ready = message(process.load(model))
  const child = await second
  const stopped = process.unload()
  child.onExit('exit code 0')
  await stopped
  expect(await ready).toContain('is being stopped')
  expect(process.status()).toMatchObject({ state: 'stopped', failedLoad: 'signal SIGSEGV' })
})

test('a model that kills its engine while it is loaded is tried once more, with care', async () => {
  const { process, model, children, nextChild } = startProcess(undefined, 'onnx')
  const first = nextChild()
  const ready = process.load(model)
  const second = nextChild()
  ;(await first).onExit('signal SIGSEGV')
  ;(await second).onMessage({ type: 'ready', info })
  await ready
  expect(children.map(({ isCautious }) => isCautious)).toEqual([false, true])
  expect(process.status()).toMatchObject({ state: 'ready', lastExit: 'signal SIGSEGV', failedLoad: undefined })
  // It is known now.
  const third = nextChild()
  children[1]?.onExit('exit code 1')
  expect((await third).isCautious).toBe(true)
})

test('but not a second time, nor where the child said what is wrong, nor an engine that knows no care', async () => {
  const twice = startProcess(undefined, 'onnx')
  const [one, two] = [twice.nextChild(), twice.nextChild()]
  const failed = message(twice.process.load(twice.model))
  ;(await one).onExit('signal SIGSEGV')
  ;(await two).onExit('signal SIGSEGV')
  expect(await failed).toContain('could not be loaded')
  expect(twice.process.status()).toMatchObject({ state: 'stopped', failedLoad: 'signal SIGSEGV' })
  expect(twice.children).toHaveLength(2)

  for (const [engine, says] of [
    ['onnx', true],
    ['llama', false],
  ] as const) {
    const { process, model, children, nextChild } = startProcess(undefined, engine)
    const arrived = nextChild()
    const refused = message(process.load(model))
    const child = await arrived
    if (says) child.onMessage({ type: 'load-failed', code: 'bad-model', message: 'not a model' })
    child.onExit('exit code 1')
    expect(await refused).toContain('could not be loaded')
    expect(children).toHaveLength(1)
  }
})

test('a model that was killed from outside, and one that care does not help, are loaded as usual the next time', async () => {
  const { process, model, children, nextChild } = startProcess(undefined, 'onnx')
  for (const reasons of [['signal SIGKILL'], ['signal SIGSEGV', 'signal SIGSEGV']]) {
    const arrivals = reasons.map(() => nextChild())
    const failed = message(process.load(model))
    for (const [index, reason] of reasons.entries()) (await arrivals[index])?.onExit(reason)
    expect(await failed).toContain('could not be loaded')
  }
  expect(children.map(({ isCautious }) => isCautious)).toEqual([false, false, true])
})

test('a stop between two tries is the end', async () => {
  const { process, model, children, nextChild } = startProcess(undefined, 'onnx')
  const first = nextChild()
  const ready = message(process.load(model))
  const child = await first
  child.onExit('signal SIGSEGV')
  await process.unload()
  expect(await ready).toContain('is being stopped')
  expect(children).toHaveLength(1)
  expect(process.status().state).toBe('stopped')
})

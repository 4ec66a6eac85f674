/** Scripted histories: what happens to a child, and what is done about it. */
import { describe, expect, test } from 'bun:test'
import { ApiError } from '../core/errors.ts'
import type { EngineKind, InstalledModel } from '../core/model.ts'
import { testManifest } from '../testing/test-manifest.ts'
import { type EngineLife, type LifeEvent, newLife } from './engine-life.ts'
import type { EngineInfo, FromEngine } from './protocol.ts'
import { afterEvent } from './supervisor.ts'

const info: EngineInfo = { device: 'cpu', description: 'none', contextTokens: 1024, parallel: 2 }
const runtime = { nodeLlamaCpp: '', addons: '', onnxRuntime: '', tokenizers: '' }

function modelOf(engine: EngineKind = 'llama', changes: Partial<InstalledModel['manifest']> = {}): InstalledModel {
  const manifest = testManifest({
    id: 'test/x',
    engine,
  })
  return { manifest: { ...manifest, ...changes }, filePaths: {} }
}

/** A life to which things happen at times that the test sets; `tell` gives what is done, in words. */
class Script {
  nowMs = 1_000_000
  readonly #model: InstalledModel
  life: EngineLife

  constructor(model = modelOf()) {
    this.#model = model
    this.life = newLife(model)
  }

  get phase(): string {
    return this.life.phase.type
  }

  tell(event: LifeEvent): string[] {
    const [life, effects] = afterEvent(this.life, event, this.nowMs)
    this.life = life
    return effects.map((effect) => {
      if (effect.type === 'refuse') return `refuse: ${effect.error.message.split('. ')[0]}`
      if (effect.type === 'log') return `${effect.level}: ${effect.message}`
      if (effect.type === 'set-timer') return `timer ${effect.afterMs}`
      if (effect.type === 'send') return `send ${effect.message.type}`
      if (effect.type === 'spawn') return `spawn ${effect.child}${effect.isCautious ? ' cautiously' : ''}`
      if (effect.type === 'child-ended') return `child-ended: ${effect.reason}`
      return effect.type
    })
  }

  load = (model = this.#model, isIdle = true) => this.tell({ type: 'load', model, isIdle })
  unload = () => this.tell({ type: 'unload' })
  idle = () => this.tell({ type: 'idle' })
  expired = () => this.tell({ type: 'expired' })
  timer = () => this.tell({ type: 'timer' })
  prepared = () => this.tell({ type: 'prepared', runtime })
  say = (message: FromEngine, child = this.life.history.starts) => this.tell({ type: 'message', child, message })
  ready = () => this.say({ type: 'ready', info })
  write = (text: string) => this.tell({ type: 'log-line', child: this.life.history.starts, text })
  exit = (reason: string, child = this.life.history.starts) => this.tell({ type: 'exit', child, reason })

  /** To where a child loads the model. */
  loading(): this {
    this.load()
    this.prepared()
    return this
  }

  loaded(): this {
    this.loading()
    this.ready()
    return this
  }
}

test('a model is loaded once, however many requests wait for it', () => {
  const script = new Script()
  expect(script.load()).toEqual(['prepare'])
  expect(script.load()).toEqual([])
  expect(script.prepared()).toEqual(['timer 5000', 'spawn 1'])
  expect(script.load()).toEqual([])
  expect(script.ready()).toEqual(['admit'])
  expect(script.life.phase).toMatchObject({ type: 'ready', info })
  expect(script.load()).toEqual(['admit'])
})

test('libraries that cannot be unpacked are a failed load', () => {
  const script = new Script()
  script.load()
  expect(script.tell({ type: 'preparation-failed', reason: 'no space' })).toEqual([
    "refuse: Model 'test/x' could not be started",
  ])
  expect(script.life).toMatchObject({ phase: { type: 'stopped' }, history: { failedLoad: 'no space', starts: 0 } })
})

describe('a crash', () => {
  test('in a load refuses those that wait, with the reason kept for the operator', () => {
    const script = new Script().loading()
    script.write('assertion failed')
    expect(script.exit('signal SIGABRT')).toEqual([
      'clear-timer',
      'error: engine ended: signal SIGABRT: assertion failed',
      'child-ended: signal SIGABRT: assertion failed',
      "refuse: Model 'test/x' could not be loaded",
    ])
    const reason = 'signal SIGABRT: assertion failed'
    expect(script.life).toMatchObject({
      phase: { type: 'stopped' },
      history: { lastExit: reason, failedLoad: reason, failureTimesMs: [script.nowMs] },
    })
  })

  test('of a ready child fails its requests and loads the model again', () => {
    const script = new Script().loaded()
    expect(script.exit('exit code 7')).toEqual([
      'clear-timer',
      'error: engine ended: exit code 7',
      'child-ended: exit code 7',
      'load-again',
    ])
    expect(script.load()).toEqual(['prepare'])
    script.prepared()
    expect(script.ready()).toEqual(['admit'])
    expect(script.life.history).toMatchObject({ starts: 2, lastExit: 'exit code 7' })
    expect(script.life.history.failedLoad).toBeUndefined()
  })

  test('that follows another waits before the next start', () => {
    const script = new Script().loaded()
    script.exit('exit code 7')
    script.loading()
    script.exit('exit code 7')
    script.nowMs += 100
    expect(script.load()).toEqual(['timer 400'])
    expect([script.phase, script.load()]).toEqual(['waiting', []])
    expect(script.timer()).toEqual(['prepare'])
  })

  test('is the third in a minute: nothing is loaded until the first is a minute old', () => {
    const script = new Script()
    for (const afterMs of [0, 10_000, 10_000]) {
      script.nowMs += afterMs
      script.loading().exit('exit code 7')
    }
    expect(script.life.phase).toEqual({ type: 'failed', retryAtMs: 1_060_000 })
    const [life, effects] = afterEvent(script.life, { type: 'load', model: modelOf(), isIdle: true }, script.nowMs)
    expect(life.phase.type).toBe('failed')
    const [effect] = effects
    if (effect?.type !== 'refuse') throw new Error('expected a refusal')
    expect(effect.error).toBeInstanceOf(ApiError)
    expect(effect.error).toMatchObject({ code: 'model_unavailable', retryAfterSeconds: 40 })
    script.nowMs = 1_060_000
    expect(script.load()).toEqual(['prepare'])
  })
})

describe('a stop', () => {
  test('during a load refuses those that wait at once, and ends with the child', () => {
    const script = new Script().loading()
    expect(script.unload()).toEqual(["refuse: Model 'test/x' is being stopped", 'send stop', 'timer 5000'])
    // The child was saying so.
    expect(script.ready()).toEqual([])
    expect(script.phase).toBe('stopping')
    expect(script.load()).toEqual(["refuse: Model 'test/x' is being stopped"])
    expect(script.exit('exit code 0')).toEqual(['clear-timer', 'child-ended: it was stopped', 'unloaded'])
    expect(script.life).toMatchObject({ phase: { type: 'stopped' }, history: { failureTimesMs: [] } })
    expect(script.life.history.lastExit).toBeUndefined()
  })

  test('before there is a child is done at once, and what was prepared is not used', () => {
    const script = new Script()
    script.load()
    expect(script.unload()).toEqual(['clear-timer', "refuse: Model 'test/x' is being stopped", 'unloaded'])
    expect(script.prepared()).toEqual([])
    expect(script.phase).toBe('stopped')
    expect(script.unload()).toEqual(['unloaded'])
  })

  test('that the child ignores kills it, and a child that survives that counts as ended', () => {
    const script = new Script().loaded()
    script.unload()
    expect(script.timer()).toEqual(['kill', 'timer 5000'])
    expect(script.timer()).toEqual(['clear-timer', 'child-ended: it was stopped', 'unloaded'])
    expect(script.exit('signal SIGKILL')).toEqual([])
    expect(script.life.history.lastExit).toBeUndefined()
  })
})

describe('an engine that can leave out optimizations', () => {
  const onnx = modelOf('onnx')

  test('is started cautiously after a crash in a load, and stays cautious where that helps', () => {
    const script = new Script(onnx).loading()
    expect(script.exit('signal SIGSEGV').slice(2)).toEqual([
      'child-ended: signal SIGSEGV',
      'warn: loading it killed the engine; trying again with fewer optimizations',
      'prepare',
    ])
    expect(script.prepared()).toEqual(['timer 5000', 'spawn 2 cautiously'])
    expect(script.ready()).toEqual(['admit'])
    script.exit('exit code 1')
    script.load()
    script.timer()
    expect(script.prepared()).toContain('spawn 3 cautiously')
  })

  test('is not started a third time, and as usual when it is asked for again', () => {
    const script = new Script(onnx).loading()
    script.exit('signal SIGSEGV')
    script.prepared()
    expect(script.exit('signal SIGSEGV').at(-1)).toBe("refuse: Model 'test/x' could not be loaded")
    script.load()
    script.timer()
    expect(script.prepared()).toContain('spawn 3')
  })

  test.each([
    ['it was killed from outside', 'signal SIGKILL', undefined],
    ['it said what is wrong', 'exit code 1', 'not a model'],
  ])('is not tried again when %s', (_, reason, message) => {
    const script = new Script(onnx).loading()
    if (message !== undefined) script.say({ type: 'load-failed', code: 'bad-model', message })
    expect(script.exit(reason).at(-1)).toBe("refuse: Model 'test/x' could not be loaded")
    expect(script.life.history.failedLoad).toBe(message ?? reason)
  })
})

test('a child of another version is a failed load that says so', () => {
  const script = new Script().loading()
  const message = 'server and engine are of different versions; restart inferd'
  expect(script.say({ type: 'load-failed', code: 'bad-model', message })).toEqual([])
  expect(script.exit('exit code 1')).toContain(`error: engine ended: ${message}`)
  expect(script.life.history.failedLoad).toBe(message)
})

describe('the watchdog', () => {
  test('asks, kills a silent child, and replaces it', () => {
    const script = new Script().loaded()
    for (let checks = 0; checks < 4; checks++) expect(script.timer()).toEqual(['send stats', 'timer 5000'])
    expect(script.timer()).toEqual(['kill', 'timer 5000'])
    const reason = 'killed: it did not answer for 20 s'
    expect(script.exit('signal SIGKILL')).toContain(`child-ended: ${reason}`)
    expect(script.life.history.lastExit).toBe(reason)
  })

  test('is answered by any message, and keeps its own answers to itself', () => {
    const script = new Script().loaded()
    for (let checks = 0; checks < 100; checks++) {
      expect(script.timer()).toEqual(['send stats', 'timer 5000'])
      expect(script.say({ type: 'stats', id: 0, stats: undefined })).toEqual([])
    }
    expect(script.say({ type: 'stats', id: 1, stats: undefined })).toEqual(['deliver'])
    expect(script.say({ type: 'events', events: [] })).toEqual(['deliver'])
  })

  test('lets a child that the kernel cannot end count as ended, once, and does not hear it any more', () => {
    const script = new Script().loading()
    for (let checks = 0; checks < 25; checks++) script.timer()
    const reason = 'killed: it did not answer for 120 s'
    expect(script.timer()).toEqual([
      'clear-timer',
      `error: engine ended: ${reason}`,
      `child-ended: ${reason}`,
      "refuse: Model 'test/x' could not be loaded",
    ])
    expect(script.say({ type: 'ready', info })).toEqual([])
    expect(script.exit('signal SIGKILL')).toEqual([])
    script.loading()
    expect(script.say({ type: 'ready', info }, 1)).toEqual([])
    expect(script.exit('signal SIGKILL', 1)).toEqual([])
    expect([script.phase, script.timer()]).toEqual(['loading', ['send stats', 'timer 5000']])
  })
})

describe('a model that changed', () => {
  const changed = modelOf('llama', { contextLength: 512 })

  test('is loaded again by the next request of an idle engine', () => {
    const script = new Script().loaded()
    expect(script.load(changed)).toEqual(['send stop', 'timer 5000'])
    // Others join.
    expect(script.load(changed)).toEqual([])
    expect(script.exit('exit code 0')).toEqual(['clear-timer', 'child-ended: it was stopped', 'prepare'])
    expect(script.prepared()).toEqual(['timer 5000', 'spawn 2'])
    expect(script.ready()).toEqual(['admit'])
    expect(script.life).toMatchObject({ phase: { child: { model: changed } }, history: { failureTimesMs: [] } })
    expect(script.load(changed)).toEqual(['admit'])
  })

  test('serves a busy engine as it was, and is loaded again once that is idle', () => {
    const script = new Script().loaded()
    expect(script.load(changed, false)).toEqual(['admit'])
    expect(script.idle()).toEqual(['send stop', 'timer 5000'])
    expect(script.exit('exit code 0').at(-1)).toBe('prepare')
  })

  test('is not loaded again when the model is stopped meanwhile', () => {
    const script = new Script().loaded()
    script.load(changed)
    expect(script.unload()).toEqual(["refuse: Model 'test/x' is being stopped"])
    expect(script.exit('exit code 0').at(-1)).toBe('unloaded')
    expect(script.phase).toBe('stopped')
  })

  test('only in what the server alone reads stays loaded', () => {
    const script = new Script().loaded()
    const priced = modelOf('llama', { pricing: { unit: '1M_tokens', inputNanoUsd: 1 }, aliases: [{ id: 'x' }] })
    expect(script.load(priced)).toEqual(['admit'])
    expect(script.idle()).toEqual([])
    expect(script.load({ ...priced, filesVersion: 'b' })).toEqual(['send stop', 'timer 5000'])
  })
})

describe('a model that is not kept', () => {
  test('is unloaded, and loaded again by the next request', () => {
    const script = new Script().loaded()
    expect(script.expired()).toEqual(['send stop', 'timer 5000'])
    expect(script.exit('exit code 0').slice(0, 2)).toEqual(['clear-timer', 'child-ended: it was stopped'])
    expect([script.phase, script.expired()]).toEqual(['stopped', []])
    expect(script.load()).toEqual(['prepare'])
  })

  test('refuses no request that comes while it is being unloaded', () => {
    const script = new Script().loaded()
    script.expired()
    expect([script.load(), script.phase]).toEqual([[], 'stopping'])
    expect(script.exit('exit code 0').at(-1)).toBe('prepare')
  })
})

/** A small generator, so that a history that fails can be repeated. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

test.each(Array.from({ length: 200 }, (_, index) => index + 1))('history %i: every load and unload ends', (seed) => {
  const random = randomOf(seed)
  const script = new Script(modelOf(seed % 2 === 0 ? 'onnx' : 'llama'))
  const changed = modelOf('llama', { contextLength: 512 })
  let [hasTimer, isPreparing, waitsForLoad, waitsForUnload] = [false, false, false, false]
  const tell = (event: () => string[]) => {
    for (const effect of event()) {
      if (effect.startsWith('timer')) hasTimer = true
      if (effect === 'clear-timer') hasTimer = false
      if (effect === 'prepare') isPreparing = true
      if (effect === 'admit' || effect.startsWith('refuse')) waitsForLoad = false
      if (effect === 'unloaded') waitsForUnload = false
    }
    const hasChild = 'child' in script.life.phase
    expect(hasTimer).toBe(hasChild || script.phase === 'waiting')
    if (waitsForLoad) expect(hasTimer || isPreparing).toBe(true)
    if (waitsForUnload) expect(script.phase).toBe('stopping')
    if (script.phase === 'preparing') expect(isPreparing).toBe(true)
  }
  const load = (model: InstalledModel | undefined, isIdle: boolean) => {
    waitsForLoad = true
    tell(() => script.load(model, isIdle))
  }
  const unload = () => {
    waitsForUnload = true
    tell(script.unload)
  }
  const ring = () => {
    if (!hasTimer) return
    hasTimer = false
    tell(script.timer)
  }
  const prepared = () => {
    if (!isPreparing) return
    isPreparing = false
    tell(script.prepared)
  }
  const events = [
    () => tell(script.expired),
    () => load(undefined, true),
    () => load(changed, random(2) === 0),
    unload,
    () => tell(script.idle),
    ring,
    prepared,
    prepared,
    () => tell(script.ready),
    () => tell(() => script.say({ type: 'load-failed', code: 'bad-model', message: 'not a model' })),
    () => tell(() => script.exit(['exit code 0', 'signal SIGSEGV', 'signal SIGKILL'][random(3)] ?? '')),
    () => tell(() => script.exit('exit code 1', script.life.history.starts - 1)),
  ]
  for (let step = 0; step < 200; step++) {
    script.nowMs += random(20_000)
    events[random(events.length)]?.()
  }
  // A child that never says anything again.
  unload()
  ring()
  ring()
  expect([waitsForLoad, waitsForUnload, hasTimer, 'child' in script.life.phase]).toEqual([false, false, false, false])
})

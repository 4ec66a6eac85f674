/** Scripted histories: events of a child, and the supervisor's reactions. */
import { describe, expect, test } from 'bun:test'
import type { EngineInfo } from '../../core/model-state.ts'
import { noRuntimePaths } from '../../testing/engine-pool.ts'
import type { FromEngine } from '../protocol/messages.ts'
import { type EngineLife, type LifeEvent, newLife } from './engine-life.ts'
import { afterEvent } from './supervisor.ts'

const info: EngineInfo = { device: 'cpu', description: 'none', contextTokens: 1024, parallel: 2 }

/** An engine life that receives events at times set by the test. Its methods return the effects in words. */
class Script {
  nowMs = 1_000_000
  life: EngineLife

  constructor(options: Partial<Omit<EngineLife, 'phase'>> = {}) {
    this.life = newLife({ retriesCautiously: false, isCautious: false, mayCompile: false, ...options })
  }

  get phase(): string {
    return this.life.phase.type
  }

  get child(): number {
    const { phase } = this.life
    return 'child' in phase ? phase.child.number : 0
  }

  tell(event: LifeEvent): string[] {
    const [life, effects] = afterEvent(this.life, event, this.nowMs)
    this.life = life
    return effects.map((effect) => {
      if (effect.type === 'log') return `${effect.level}: ${effect.message}`
      if (effect.type === 'set-timer') return `timer ${effect.afterMs}`
      if (effect.type === 'send') return `send ${effect.message.type}`
      if (effect.type === 'spawn') return `spawn ${effect.child}${effect.isCautious ? ' cautiously' : ''}`
      if (effect.type === 'disconnect') return `disconnect: ${effect.reason}`
      if (effect.type !== 'tell') return effect.type
      const { event: told } = effect
      if (told.type === 'exited') return `${told.wasAsked ? 'stopped' : `exited, ${told.cause}`}: ${told.reason}`
      return told.type === 'start-failed' ? `failed, ${told.code}: ${told.reason}` : told.type
    })
  }

  stop = (how: 'graceful' | 'now' = 'graceful') => this.tell({ type: 'stop', how })
  timer = () => this.tell({ type: 'timer' })
  prepared = () => this.tell({ type: 'prepared', runtime: noRuntimePaths })
  say = (message: FromEngine, child = this.child) => this.tell({ type: 'message', child, message })
  ready = () => this.say({ type: 'ready', info })
  write = (text: string) => this.tell({ type: 'log-line', child: this.child, text })
  exit = (reason: string, child = this.child) => this.tell({ type: 'exit', child, reason })

  loaded(): this {
    this.prepared()
    this.ready()
    return this
  }
}

test('a child is started when the libraries are there, and serves when it says so', () => {
  const script = new Script()
  expect(script.prepared()).toEqual(['timer 5000', 'spawn 1'])
  expect(script.ready()).toEqual(['started'])
  expect(script.phase).toBe('ready')
  expect(script.prepared()).toEqual([])
})

test('libraries that cannot be unpacked are a failed load', () => {
  const script = new Script()
  expect(script.tell({ type: 'preparation-failed', code: 'other', message: 'no space' })).toEqual([
    'failed, other: no space',
    'exited, ended: no space',
  ])
  expect(script.phase).toBe('ended')
})

describe('a crash', () => {
  test('in a load is a failed load, with the reason', () => {
    const script = new Script()
    script.prepared()
    script.write('assertion failed')
    expect(script.exit('signal SIGABRT')).toEqual([
      'clear-timer',
      'error: engine ended: signal SIGABRT: assertion failed',
      'failed, other: signal SIGABRT: assertion failed',
      'exited, ended: signal SIGABRT: assertion failed',
    ])
  })

  test('while it encodes a picture is told as such', () => {
    const script = new Script().loaded()
    script.write('assertion failed')
    expect(script.tell({ type: 'exit', child: 1, reason: 'signal SIGABRT', encoding: 'picture' })).toContain(
      'exited, ended: signal SIGABRT while it encoded a picture: assertion failed',
    )
  })

  test('is told by its panic, not by the lines after it', () => {
    const script = new Script()
    script.prepared()
    for (const line of ['panic(main thread): Segmentation fault', 'see:', ' https://bun.report/1']) script.write(line)
    expect(script.exit('signal SIGSEGV')[2]).toBe(
      'failed, other: signal SIGSEGV: panic(main thread): Segmentation fault',
    )
  })

  test('is told by the last line before the report of an abort', () => {
    const toldAfter = (...lines: string[]) => {
      const script = new Script()
      script.prepared()
      for (const line of lines) script.write(line)
      return script.exit('signal SIGABRT')[2]
    }
    const report = ['='.repeat(60), 'Bun v1', 'panic: abort() called', ' https://bun.report/1']
    expect(toldAfter('no such file', ...report)).toBe('failed, other: signal SIGABRT: no such file')
    const panic = 'panic(main thread): out of memory'
    expect(toldAfter('ready', '='.repeat(60), 'Bun v1', panic, 'see:')).toBe(`failed, other: signal SIGABRT: ${panic}`)
  })

  test('of a child that serves fails its requests, once nothing can be admitted in their places', () => {
    const script = new Script().loaded()
    expect(script.exit('exit code 7')).toEqual([
      'clear-timer',
      'error: engine ended: exit code 7',
      'exited, ended: exit code 7',
      'disconnect: exit code 7',
    ])
  })

  test('by SIGKILL from outside means that memory ran out, in a load and later', () => {
    const loading = new Script()
    loading.prepared()
    expect(loading.exit('signal SIGKILL').slice(2, 4)).toEqual([
      'failed, out-of-memory: signal SIGKILL',
      'exited, out-of-memory: signal SIGKILL',
    ])
    expect(new Script().loaded().exit('signal SIGKILL')).toContain('exited, out-of-memory: signal SIGKILL')
  })
})

test('a child that says why it cannot load the model is believed', () => {
  const script = new Script()
  script.prepared()
  expect(script.say({ type: 'load-failed', code: 'bad-model', message: 'not a model' })).toEqual([])
  expect(script.exit('exit code 1')).toContain('failed, bad-model: not a model')
})

describe('a stop', () => {
  test('during a load ends with the child, and is no failure', () => {
    const script = new Script()
    script.prepared()
    expect(script.stop()).toEqual(['send stop', 'timer 5000'])
    // The child sent `ready` before it received `stop`.
    expect(script.ready()).toEqual([])
    expect(script.stop()).toEqual([])
    expect(script.exit('exit code 0')).toEqual(['clear-timer', 'stopped: it was stopped', 'disconnect: it was stopped'])
    expect(script.phase).toBe('ended')
  })

  test('says how much the child may leave, and what it left is told', () => {
    const script = new Script().loaded()
    expect(script.say({ type: 'note', parts: [] })).toEqual([]) // a note that was not requested
    const [, effects] = afterEvent(script.life, { type: 'stop', how: 'graceful', noteBytes: 1000 }, 0)
    expect(effects).toContainEqual({ type: 'send', message: { type: 'stop', noteBytes: 1000 } })
    script.stop()
    expect(script.say({ type: 'note', parts: [] })).toEqual(['note'])
    expect(script.exit('exit code 0')).toContain('stopped: it was stopped')
  })

  test('before there is a child is done at once, and what was prepared is not used', () => {
    const script = new Script()
    expect(script.stop()).toEqual(['stopped: it was stopped'])
    expect([script.prepared(), script.stop(), script.phase]).toEqual([[], [], 'ended'])
  })

  test('that the child ignores kills it', () => {
    const script = new Script().loaded()
    script.stop()
    expect(script.timer()).toEqual(['kill', 'timer 5000'])
    expect(script.exit('signal SIGKILL')).toContain('stopped: it was stopped')
  })

  test('at once kills it, also while it is asked to end', () => {
    for (const before of [() => [], (script: Script) => script.stop()]) {
      const script = new Script().loaded()
      before(script)
      expect(script.stop('now')).toEqual(['kill', 'timer 5000'])
      expect(script.exit('signal SIGKILL')).toContain('stopped: it was stopped')
    }
  })
})

describe('an engine that can leave out optimizations', () => {
  const onnx = { retriesCautiously: true }

  test('is started once more after a crash in a load', () => {
    const script = new Script(onnx)
    script.prepared()
    expect(script.exit('signal SIGSEGV').slice(2)).toEqual([
      'warn: loading it killed the engine; trying again more carefully',
      'timer 5000',
      'spawn 2 cautiously',
    ])
    expect(script.exit('signal SIGSEGV', 1)).toEqual([])
    expect(script.ready()).toEqual(['started'])
  })

  test('is not started a third time', () => {
    const script = new Script(onnx)
    script.prepared()
    script.exit('signal SIGSEGV')
    expect(script.exit('signal SIGSEGV')).toContain('failed, other: signal SIGSEGV')
  })

  test('is cautious at once where that is known to help', () => {
    const script = new Script({ ...onnx, isCautious: true })
    expect(script.prepared()).toContain('spawn 1 cautiously')
    expect(script.exit('signal SIGSEGV')).toContain('failed, other: signal SIGSEGV')
  })

  test.each([
    ['it was killed from outside', 'signal SIGKILL', undefined, 'failed, out-of-memory: signal SIGKILL'],
    ['it said what is wrong', 'exit code 1', 'not a model', 'failed, bad-model: not a model'],
  ])('is not tried again when %s', (_, reason, message, expected) => {
    const script = new Script(onnx)
    script.prepared()
    if (message !== undefined) script.say({ type: 'load-failed', code: 'bad-model', message })
    expect(script.exit(reason)).toContain(expected)
  })
})

const counters = { decodedPromptTokens: 0, reusedPromptTokens: 0, generatedTokens: 0 }

describe('the watchdog', () => {
  test('asks, and kills a silent child', () => {
    const script = new Script().loaded()
    for (let checks = 0; checks < 4; checks++) expect(script.timer()).toEqual(['send stats', 'timer 5000'])
    expect(script.timer()).toEqual(['kill', 'timer 5000'])
    expect(script.exit('signal SIGKILL')).toContain('exited, ended: killed: it did not answer for 20 s')
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

  test('passes on the costs of steps', () => {
    const script = new Script().loaded()
    const stats = { steps: 9, threads: 2, running: 0, waiting: 0, ...counters, stepCurves: [] }
    expect(script.say({ type: 'stats', id: 0, stats })).toEqual(['learned'])
    expect(script.say({ type: 'stats', id: 1, stats })).toEqual(['deliver'])
    script.stop()
    expect(script.say({ type: 'stats', id: 0, stats })).toEqual(['learned'])
  })

  test('says that a load goes on as long as the child may be silent', () => {
    const script = new Script()
    script.prepared()
    for (let checks = 0; checks < 24; checks++) {
      expect(script.timer()).toEqual(['send stats', 'timer 5000', 'progress'])
    }
    expect(script.timer()).toEqual(['kill', 'timer 5000'])
  })

  test.each(['load', 'service', 'stop'])('a child that the kernel cannot end during its %s serves no more', (when) => {
    const script = new Script()
    script.prepared()
    if (when !== 'load') script.ready()
    if (when === 'stop') script.stop()
    while (!script.timer().includes('kill'));
    expect(script.timer().slice(1)).toEqual(['lost', expect.stringContaining('disconnect: process does not end')])
    expect(script.exit('signal SIGKILL').some((effect) => /^(exited|stopped)/.test(effect))).toBe(true)
  })
})

/** A small random generator, so that a failing history can be repeated. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

test.each(Array.from({ length: 200 }, (_, index) => index + 1))(
  'history %i: a process ends once, when it is stopped',
  (seed) => {
    const random = randomOf(seed)
    const script = new Script({ retriesCautiously: seed % 2 === 0 })
    let hasTimer = false
    let ends = 0
    const tell = (event: () => string[]) => {
      for (const effect of event()) {
        if (effect.startsWith('timer')) hasTimer = true
        if (effect === 'clear-timer') hasTimer = false
        if (/^(exited|stopped)/.test(effect)) ends++
      }
      expect(ends).toBe(script.phase === 'ended' ? 1 : 0)
      // Every child has a timer that limits its time, unless it counts as lost.
      if (script.child > 0 && !hasTimer) expect(script.timer()).toContain('lost')
    }
    const ring = () => {
      if (!hasTimer) return
      hasTimer = false
      tell(script.timer)
    }
    const events = [
      () => tell(() => script.stop(random(2) === 0 ? 'graceful' : 'now')),
      ring,
      () => tell(script.prepared),
      () => tell(script.prepared),
      () => tell(script.ready),
      () => tell(() => script.say({ type: 'load-failed', code: 'bad-model', message: 'not a model' })),
      () => tell(() => script.exit(['exit code 0', 'signal SIGSEGV', 'signal SIGKILL'][random(3)] ?? '')),
      () => tell(() => script.exit('exit code 1', script.child - 1)),
    ]
    for (let step = 0; step < 50; step++) {
      script.nowMs += random(20_000)
      events[random(events.length)]?.()
    }
    tell(() => script.stop())
    ring()
    if (script.child > 0) tell(() => script.exit('signal SIGKILL'))
    expect([script.phase, ends, hasTimer]).toEqual(['ended', 1, false])
  },
)

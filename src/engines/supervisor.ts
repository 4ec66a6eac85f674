/**
 * Supervises one model's engine child, as a state machine: the state and an event in, the next state and effects out. No clock
 * and no I/O: `engine-process.ts` carries out the effects.
 *
 * stopped -> waiting (after failures) -> preparing -> loading -> ready -> stopping -> stopped, or failed after three failures
 * in a minute. A child that ends on its own while it is ready is replaced at once.
 */
import type { InstalledModel } from '../core/model.ts'
import {
  afterFailure,
  decideRestart,
  describeExit,
  type ExitEvidence,
  isCrash,
  loadFailureCode,
} from './crash-policy.ts'
import { modelUnavailable } from './engine-errors.ts'
import type { AfterStop, Child, Effect, EngineLife, History, LifeEvent, Phase } from './engine-life.ts'
import { engineTable } from './engine-table.ts'
import type { FromEngine, RuntimePaths } from './protocol.ts'
import { afterCheck, afterMessage, checkEveryMs, fatalProblem, firstPulse } from './watchdog.ts'

/** A child that ignores `stop` this long is killed. */
const stopGraceMs = 5_000

/** Statistics with this id are the watchdog's own. */
const watchdogId = 0

type Step = readonly [EngineLife, readonly Effect[]]
type PhaseWithChild = Extract<Phase, { child: Child }>

/** `nowMs`: milliseconds that never go back. */
export function afterEvent(life: EngineLife, event: LifeEvent, nowMs: number): Step {
  const { phase } = life
  switch (event.type) {
    case 'load':
      return load({ ...life, model: event.model }, event.isIdle, nowMs)
    case 'unload':
      return unload(life)
    case 'idle':
      return phase.type === 'ready' && isStale(phase.child, life.model) ? stop(life, phase.child, 'reload') : [life, []]
    case 'expired':
      return phase.type === 'ready' ? stop(life, phase.child, 'rest') : [life, []]
    case 'timer':
      return ring(life, nowMs)
    case 'prepared':
      return phase.type === 'preparing' ? spawn(life, event.runtime) : [life, []]
    case 'preparation-failed':
      return phase.type === 'preparing' ? failToPrepare(life, event.reason, nowMs) : [life, []]
    default:
      if (!('child' in phase) || phase.child.number !== event.child) return [life, []]
      return fromChild(life, phase, event, nowMs)
  }
}

function load(life: EngineLife, isIdle: boolean, nowMs: number): Step {
  const { phase, model } = life
  if (phase.type === 'stopped' || phase.type === 'failed') return start(life, nowMs)
  if (phase.type === 'ready') {
    // A busy child keeps what it has until it is idle.
    return isIdle && isStale(phase.child, model) ? stop(life, phase.child, 'reload') : [life, [{ type: 'admit' }]]
  }
  if (phase.type === 'stopping' && phase.next === 'stop') return [life, [isBeingStopped(life)]]
  if (phase.type === 'stopping') return [{ ...life, phase: { ...phase, next: 'reload' } }, []]
  return [life, []] // joins the load in flight
}

function unload(life: EngineLife): Step {
  const { phase } = life
  if (phase.type === 'stopped' || phase.type === 'failed') return [life, [{ type: 'unloaded' }]]
  const refuse = isBeingStopped(life)
  if (phase.type === 'stopping') return [{ ...life, phase: { ...phase, next: 'stop' } }, [refuse]]
  if ('child' in phase) {
    const [next, effects] = stop(life, phase.child, 'stop')
    return [next, [refuse, ...effects]]
  }
  return [{ ...life, phase: { type: 'stopped' } }, [{ type: 'clear-timer' }, refuse, { type: 'unloaded' }]]
}

function start(life: EngineLife, nowMs: number): Step {
  const decision = decideRestart(life.history.failureTimesMs, nowMs)
  if (decision.kind === 'give-up') {
    const refuse = refusal(life, 'failed three times within a minute', {
      reason: life.history.lastExit ?? 'unknown',
      retryAfterSeconds: Math.ceil(decision.retryAfterMs / 1000),
    })
    return [{ ...life, phase: rest(life.history, nowMs) }, [refuse]]
  }
  if (decision.afterMs === 0) return prepare(life)
  return [{ ...life, phase: { type: 'waiting' } }, [{ type: 'set-timer', afterMs: decision.afterMs }]]
}

function prepare(life: EngineLife): Step {
  return [{ ...life, phase: { type: 'preparing' } }, [{ type: 'prepare' }]]
}

function failToPrepare(life: EngineLife, reason: string, nowMs: number): Step {
  const history = { ...withFailure(life.history, nowMs), failedLoad: reason, failedLoadCode: 'other' as const }
  return [{ ...life, history, phase: rest(history, nowMs) }, [refusal(life, 'could not be started', { reason })]]
}

function spawn(life: EngineLife, runtime: RuntimePaths): Step {
  const { model, history } = life
  const number = history.starts + 1
  const child: Child = { number, model, pulse: firstPulse, evidence: {} }
  return [
    { ...life, history: { ...history, starts: number }, phase: { type: 'loading', child } },
    [
      { type: 'set-timer', afterMs: checkEveryMs },
      { type: 'spawn', child: number, model, runtime, isCautious: history.isCautious },
    ],
  ]
}

function stop(life: EngineLife, child: Child, next: AfterStop): Step {
  return [
    { ...life, phase: { type: 'stopping', child, next } },
    [
      { type: 'send', message: { type: 'stop' } },
      { type: 'set-timer', afterMs: stopGraceMs },
    ],
  ]
}

function ring(life: EngineLife, nowMs: number): Step {
  const { phase } = life
  if (phase.type === 'waiting') return prepare(life)
  if (!('child' in phase)) return [life, []]
  const { child } = phase
  // Not even the kernel can end it, since it waits in a driver.
  if (child.evidence.killedBecause !== undefined) return end(life, phase, 'signal SIGKILL', nowMs)
  return phase.type === 'stopping' ? kill(life, phase, 'killed: it did not stop') : check(life, phase)
}

function check(life: EngineLife, phase: PhaseWithChild): Step {
  const pulse = afterCheck(phase.child.pulse)
  const problem = fatalProblem(pulse, phase.type === 'ready')
  if (problem !== undefined) return kill(life, phase, problem)
  return [
    { ...life, phase: { ...phase, child: { ...phase.child, pulse } } },
    [
      { type: 'send', message: { type: 'stats', id: watchdogId } },
      { type: 'set-timer', afterMs: checkEveryMs },
    ],
  ]
}

function kill(life: EngineLife, phase: PhaseWithChild, killedBecause: string): Step {
  return [
    withEvidence(life, phase, { killedBecause }),
    [{ type: 'kill' }, { type: 'set-timer', afterMs: checkEveryMs }],
  ]
}

function fromChild(
  life: EngineLife,
  phase: PhaseWithChild,
  event: Extract<LifeEvent, { child: number }>,
  nowMs: number,
): Step {
  switch (event.type) {
    case 'message':
      return hear(life, phase, event.message)
    case 'log-line':
      return [
        withEvidence(life, phase, { lastLine: { text: event.text, atMs: nowMs } }),
        [{ type: 'log', level: 'info', message: event.text }],
      ]
    case 'exit':
      return end(life, phase, event.reason, nowMs)
  }
}

function hear(life: EngineLife, phase: PhaseWithChild, message: FromEngine): Step {
  const child = { ...phase.child, pulse: afterMessage(phase.child.pulse, message) }
  const heard = { ...life, phase: { ...phase, child } }
  switch (message.type) {
    case 'ready': {
      if (phase.type !== 'loading') return [heard, []]
      const { failedLoad: _, failedLoadCode: __, ...history } = life.history
      return [{ ...life, history, phase: { type: 'ready', child, info: message.info } }, [{ type: 'admit' }]]
    }
    case 'load-failed':
      return [withEvidence(heard, heard.phase, { loadFailure: message }), []]
    case 'progress':
      return [heard, []]
    case 'placements':
      return [heard, []] // the answer to a question that a supervised child is not asked
    case 'stats':
      return [heard, message.id === watchdogId ? [] : [{ type: 'deliver', message }]]
    case 'events':
      return [heard, [{ type: 'deliver', message }]]
  }
}

function end(life: EngineLife, phase: PhaseWithChild, reason: string, nowMs: number): Step {
  if (phase.type === 'stopping') return endStopping(life, phase.next, nowMs)
  const failure = describeExit(phase.child.evidence, reason, nowMs)
  const history = { ...withFailure(life.history, nowMs), lastExit: failure }
  const effects: Effect[] = [
    { type: 'clear-timer' },
    { type: 'log', level: 'error', message: `engine ended: ${failure}` },
    { type: 'child-ended', reason: failure },
  ]
  if (phase.type === 'ready') {
    // Loading again right away spares the next request the wait.
    return [{ ...life, history, phase: rest(history, nowMs) }, [...effects, { type: 'load-again' }]]
  }
  const { retriesCautiously } = engineTable[phase.child.model.manifest.engine]
  if (retriesCautiously && !history.isCautious && isCrash(phase.child.evidence, reason)) {
    const [next, retry] = prepare({ ...life, history: { ...history, isCautious: true } })
    const message = 'loading it killed the engine; trying again with fewer optimizations'
    return [next, [...effects, { type: 'log', level: 'warn', message }, ...retry]]
  }
  // Caution that does not help only costs speed.
  const failedLoadCode = loadFailureCode(phase.child.evidence, reason)
  const failed = { ...history, failedLoad: failure, failedLoadCode, isCautious: false }
  return [
    { ...life, history: failed, phase: rest(failed, nowMs) },
    [...effects, refusal(life, 'could not be loaded', { reason: failure })],
  ]
}

function endStopping(life: EngineLife, next: AfterStop, nowMs: number): Step {
  const effects: Effect[] = [{ type: 'clear-timer' }, { type: 'child-ended', reason: 'it was stopped' }]
  if (next !== 'reload') return [{ ...life, phase: rest(life.history, nowMs) }, [...effects, { type: 'unloaded' }]]
  const [started, starting] = start(life, nowMs)
  return [started, [...effects, ...starting]]
}

/** Where it waits for the next load. */
function rest({ failureTimesMs }: History, nowMs: number): Phase {
  const decision = decideRestart(failureTimesMs, nowMs)
  return decision.kind === 'give-up'
    ? { type: 'failed', retryAtMs: nowMs + decision.retryAfterMs }
    : { type: 'stopped' }
}

function withFailure(history: History, nowMs: number): History {
  return { ...history, failureTimesMs: afterFailure(history.failureTimesMs, nowMs) }
}

function withEvidence(life: EngineLife, phase: PhaseWithChild, more: ExitEvidence): EngineLife {
  const { child } = phase
  return { ...life, phase: { ...phase, child: { ...child, evidence: { ...child.evidence, ...more } } } }
}

function refusal({ model }: EngineLife, what: string, details: Parameters<typeof modelUnavailable>[2]): Effect {
  return { type: 'refuse', error: modelUnavailable(model.manifest.id, what, details) }
}

function isBeingStopped(life: EngineLife): Effect {
  return refusal(life, 'is being stopped', { retryAfterSeconds: 1 })
}

/** Whether the child was given something else than the model is now. What only the server reads does not count. */
function isStale(child: Child, model: InstalledModel): boolean {
  return !Bun.deepEquals(forEngine(child.model), forEngine(model))
}

function forEngine({ manifest, ...files }: InstalledModel): unknown {
  const { aliases, pricing, license, licenseUrl, acceptLicense, noncommercial, capabilities, defaults, ...rest } =
    manifest
  const { files: origins, ...loaded } = rest // where the files lie is in filePaths
  return { loaded, files }
}

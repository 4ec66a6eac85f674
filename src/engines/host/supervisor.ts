/**
 * Supervises one engine process as a state machine: takes the state and an event, returns the next state and effects.
 * No clock and no I/O: `engine-process.ts` carries out the effects, and `scheduler/` decides when a model is loaded.
 *
 * preparing -> loading -> ready -> stopping -> ended. A load that killed its child is tried once more, by a second
 * child.
 */

import type { RuntimePaths } from '../protocol/backend.ts'
import type { loadFailure } from '../protocol/load-error.ts'
import { type FromEngine, watchdogId } from '../protocol/messages.ts'
import type { Child, Effect, EngineLife, LifeEvent, Phase, ProcessEvent } from './engine-life.ts'
import { describeExit, type EndCause, type ExitEvidence, isCrash, lastLineOf, loadFailureCode } from './exit-reason.ts'
import { afterCheck, afterMessage, checkEveryMs, fatalProblem, firstPulse } from './watchdog.ts'

/** Time after `stop` when a child that has not ended is killed. */
const stopGraceMs = 5_000

const stopped = 'it was stopped'

type Step = readonly [EngineLife, readonly Effect[]]
type PhaseWithChild = Extract<Phase, { child: Child }>

/** Returns the next state of the life after an event, and the effects. `nowMs` is monotonic. */
export function afterEvent(life: EngineLife, event: LifeEvent, nowMs: number): Step {
  const { phase } = life
  switch (event.type) {
    case 'prepared':
      return phase.type === 'preparing' ? spawn(life, 1, event.runtime) : [life, []]
    case 'preparation-failed':
      return phase.type === 'preparing' ? failToPrepare(life, event) : [life, []]
    case 'stop':
      return stop(life, event)
    case 'timer':
      return 'child' in phase ? ring(life, phase) : [life, []]
    default:
      if (!('child' in phase) || phase.child.number !== event.child) return [life, []]
      return fromChild(life, phase, event, nowMs)
  }
}

function failToPrepare(life: EngineLife, { code, message }: ReturnType<typeof loadFailure>): Step {
  return ended(life, [tell({ type: 'start-failed', code, reason: message }), exited(message)])
}

function spawn(life: EngineLife, number: number, runtime: RuntimePaths): Step {
  const child: Child = { number, pulse: firstPulse, evidence: {} }
  return [
    { ...life, phase: { type: 'loading', child, runtime } },
    [
      { type: 'set-timer', afterMs: checkEveryMs },
      { type: 'spawn', child: number, runtime, isCautious: life.isCautious },
    ],
  ]
}

function stop(life: EngineLife, { how, noteBytes = 0 }: Extract<LifeEvent, { type: 'stop' }>): Step {
  const { phase } = life
  if (phase.type === 'preparing') return ended(life, [exited(stopped, { wasAsked: true })])
  if (!('child' in phase)) return [life, []]
  const stopping: Phase = { type: 'stopping', child: phase.child }
  const next = { ...life, phase: stopping }
  if (how === 'now') return kill(next, stopping, 'killed: it was to stop at once')
  if (phase.type === 'stopping') return [life, []]
  return [
    next,
    [
      { type: 'send', message: { type: 'stop', ...(noteBytes > 0 && { noteBytes }) } },
      { type: 'set-timer', afterMs: stopGraceMs },
    ],
  ]
}

function ring(life: EngineLife, phase: PhaseWithChild): Step {
  const { child } = phase
  if (child.evidence.killedBecause !== undefined) {
    // Even the kernel cannot end a process that waits in a driver. Its memory stays taken until then.
    const message = `process does not end although it was killed (${child.evidence.killedBecause})`
    return [life, [{ type: 'log', level: 'error', message }, tell({ type: 'lost' }), disconnect(message, 'crash')]]
  }
  return phase.type === 'stopping' ? kill(life, phase, 'killed: it did not stop') : check(life, phase)
}

function check(life: EngineLife, phase: PhaseWithChild): Step {
  const pulse = afterCheck(phase.child.pulse)
  const problem = fatalProblem(pulse, phase.type === 'ready', life.mayCompile)
  if (problem !== undefined) return kill(life, phase, problem)
  const progress = phase.type === 'loading' ? [tell({ type: 'progress' })] : []
  return [
    { ...life, phase: { ...phase, child: { ...phase.child, pulse } } },
    [
      { type: 'send', message: { type: 'stats', id: watchdogId } },
      { type: 'set-timer', afterMs: checkEveryMs },
      ...progress,
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
    case 'log-line': {
      const lastLine = lastLineOf(phase.child.evidence.lastLine, event.text, nowMs)
      return [
        lastLine === undefined ? life : withEvidence(life, phase, { lastLine }),
        [{ type: 'log', level: 'info', message: event.text }],
      ]
    }
    case 'exit':
      return end(life, phase, event, nowMs)
  }
}

function hear(life: EngineLife, phase: PhaseWithChild, message: FromEngine): Step {
  const child = { ...phase.child, pulse: afterMessage(phase.child.pulse, message) }
  const heard = { ...life, phase: { ...phase, child } }
  switch (message.type) {
    case 'ready': {
      if (phase.type !== 'loading') return [heard, []]
      const { info, times } = message
      return [
        { ...life, phase: { type: 'ready', child } },
        [tell({ type: 'started', info, isCautious: life.isCautious, ...(times && { times }) })],
      ]
    }
    case 'load-failed':
      return [withEvidence(heard, heard.phase, { loadFailure: message }), []]
    case 'progress':
      return [heard, phase.type === 'loading' ? [tell({ type: 'progress', fraction: message.fraction })] : []]
    case 'note':
      return [heard, phase.type === 'stopping' ? [tell(message)] : []]
    case 'placements':
    case 'devices':
    case 'probed':
      return [heard, []] // the answer to a question that a supervised child is not asked
    case 'stats':
      return [heard, message.id === watchdogId ? learned(message) : [{ type: 'deliver', message }]]
    case 'events':
      return [heard, [{ type: 'deliver', message }]]
  }
}

function learned({ stats }: Extract<FromEngine, { type: 'stats' }>): readonly Effect[] {
  return stats?.stepCurves === undefined ? [] : [tell({ type: 'learned', stepCurves: stats.stepCurves })]
}

function end(
  life: EngineLife,
  phase: PhaseWithChild,
  { reason, encoding }: Extract<LifeEvent, { type: 'exit' }>,
  nowMs: number,
): Step {
  const evidence = { ...phase.child.evidence, encoding }
  if (phase.type === 'stopping') {
    return ended(life, [{ type: 'clear-timer' }, exited(stopped, { wasAsked: true }), disconnect(stopped, 'asked')])
  }
  const failure = describeExit(evidence, reason, nowMs)
  const code = loadFailureCode(evidence, reason)
  const effects: Effect[] = [
    { type: 'clear-timer' },
    { type: 'log', level: 'error', message: `engine ended: ${failure}` },
  ]
  const cause = code === 'out-of-memory' ? code : 'ended'
  const crashed = isCrash(evidence, reason)
  const bySignal = crashed && (evidence.killedBecause !== undefined || reason.startsWith('signal '))
  if (phase.type === 'ready') {
    // The exit comes first, so that the places of failing requests are not given to new ones.
    return ended(life, [
      ...effects,
      exited(failure, { cause, ...(bySignal && encoding === undefined && { isCrash: true }) }),
      disconnect(failure, crashed ? 'crash' : 'killed'),
    ])
  }
  if (life.retriesCautiously && !life.isCautious && crashed) {
    const [next, again] = spawn({ ...life, isCautious: true }, phase.child.number + 1, phase.runtime)
    const message = 'loading it killed the engine; trying again more carefully'
    return [next, [...effects, { type: 'log', level: 'warn', message }, ...again]]
  }
  return ended(life, [
    ...effects,
    tell({ type: 'start-failed', code, reason: failure, ...(bySignal && { isCrash: true }) }),
    exited(failure, { cause, ...(bySignal && { isCrash: true }) }),
  ])
}

function ended(life: EngineLife, effects: readonly Effect[]): Step {
  return [{ ...life, phase: { type: 'ended' } }, effects]
}

function tell(event: ProcessEvent): Effect {
  return { type: 'tell', event }
}

function disconnect(reason: string, cause: EndCause): Effect {
  return { type: 'disconnect', reason, cause }
}

function exited(
  reason: string,
  facts: Partial<Omit<Extract<ProcessEvent, { type: 'exited' }>, 'type' | 'reason'>> = {},
): Effect {
  return tell({ type: 'exited', reason, wasAsked: false, cause: 'ended', ...facts })
}

function withEvidence(life: EngineLife, phase: PhaseWithChild, more: ExitEvidence): EngineLife {
  const { child } = phase
  return { ...life, phase: { ...phase, child: { ...child, evidence: { ...child.evidence, ...more } } } }
}

/** The life of one engine process: its states, events and effects (`supervisor.ts`). */

import type { LoadTimes } from '../../core/load-phases.ts'
import type { EngineInfo, LoadFailure } from '../../core/model-state.ts'
import type { StepCurve } from '../../core/step-costs.ts'
import type { RuntimePaths } from '../protocol/backend.ts'
import type { NotePart } from '../protocol/engine.ts'
import type { FromEngine, ToEngine } from '../protocol/messages.ts'
import type { EndCause, ExitEvidence } from './exit-reason.ts'
import type { Pulse } from './watchdog.ts'

export interface EngineLife {
  readonly phase: Phase
  /** True if its engine, after a crash in a load, is started once more without its last optimizations. */
  readonly retriesCautiously: boolean
  /** The driver may compile kernels while it loads, which takes minutes. */
  readonly mayCompile: boolean
  /** True if the child leaves out optimizations that may have caused a crash. */
  readonly isCautious: boolean
}

export type Phase =
  /** Native libraries are being located, or unpacked. */
  | { readonly type: 'preparing' }
  | { readonly type: 'loading'; readonly child: Child; readonly runtime: RuntimePaths }
  | { readonly type: 'ready'; readonly child: Child }
  | { readonly type: 'stopping'; readonly child: Child }
  | { readonly type: 'ended' }

export interface Child {
  /** Counts children from 1: events of an earlier one are ignored. */
  readonly number: number
  readonly pulse: Pulse
  readonly evidence: ExitEvidence
}

export type LifeEvent =
  | { readonly type: 'prepared'; readonly runtime: RuntimePaths }
  | { readonly type: 'preparation-failed'; readonly code: LoadFailure; readonly message: string }
  /** `graceful`: the child is asked to end, and killed when it does not; it may leave so much. `now`: it is killed. */
  | { readonly type: 'stop'; readonly how: 'graceful' | 'now'; readonly noteBytes?: number }
  | { readonly type: 'timer' }
  | { readonly type: 'message'; readonly child: number; readonly message: FromEngine }
  | { readonly type: 'log-line'; readonly child: number; readonly text: string }
  /** `reason` is the exit code or signal, or why there is no child at all. `encoding`: the noun for parts of requests that it encoded. */
  | { readonly type: 'exit'; readonly child: number; readonly reason: string; readonly encoding?: string | undefined }

/** Events of the process for the rest of the server. `exited` is the last. */
export type ProcessEvent =
  /** The load goes on. `fraction`: share of the model read, 0 to 1. Undefined if unknown. */
  | { readonly type: 'progress'; readonly fraction?: number }
  /** `times`: of the phases inside the child. */
  | { readonly type: 'started'; readonly info: EngineInfo; readonly isCautious: boolean; readonly times?: LoadTimes }
  /** `exited` follows. `isCrash`: a signal ended it that was not for want of memory, or it hung. */
  | {
      readonly type: 'start-failed'
      readonly code: LoadFailure
      readonly reason: string
      readonly isCrash?: true
    }
  /** Costs of its steps measured so far. */
  | { readonly type: 'learned'; readonly stepCurves: readonly StepCurve[] }
  /** Parts of the note in its memory file. `exited` follows. */
  | { readonly type: 'note'; readonly parts: readonly NotePart[] }
  /** The process was killed and does not end: it serves no more, and its memory stays taken. */
  | { readonly type: 'lost' }
  /** `wasAsked`: after a `stop`. `out-of-memory`: killed by the system. `isCrash`: as above, and not over a part of a request. */
  | {
      readonly type: 'exited'
      readonly reason: string
      readonly wasAsked: boolean
      readonly cause: 'ended' | 'out-of-memory'
      readonly isCrash?: true
    }

export type Effect =
  | {
      readonly type: 'spawn'
      readonly child: number
      readonly runtime: RuntimePaths
      readonly isCautious: boolean
    }
  | { readonly type: 'send'; readonly message: Extract<ToEngine, { type: 'stats' | 'stop' }> }
  | { readonly type: 'kill' }
  /** Replaces the timer that runs; `timer` follows. */
  | { readonly type: 'set-timer'; readonly afterMs: number }
  | { readonly type: 'clear-timer' }
  /** For the requests that the child has. */
  | { readonly type: 'deliver'; readonly message: RequestMessage }
  /** No answer will come any more: its requests end. */
  | { readonly type: 'disconnect'; readonly reason: string; readonly cause: EndCause }
  | { readonly type: 'tell'; readonly event: ProcessEvent }
  | { readonly type: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly message: string }

export type RequestMessage = Extract<FromEngine, { type: 'stats' | 'events' }>

export function newLife(options: Omit<EngineLife, 'phase'>): EngineLife {
  return { phase: { type: 'preparing' }, ...options }
}

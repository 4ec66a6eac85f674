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
  /** True if the engine is started once more, with fewer optimizations, after a crash in a load. */
  readonly retriesCautiously: boolean
  /** True if the driver may compile kernels during the load, which takes minutes. */
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
  /** Number of the child, from 1. Events of earlier children are ignored. */
  readonly number: number
  readonly pulse: Pulse
  readonly evidence: ExitEvidence
}

export type LifeEvent =
  | { readonly type: 'prepared'; readonly runtime: RuntimePaths }
  | { readonly type: 'preparation-failed'; readonly code: LoadFailure; readonly message: string }
  /**
   * `graceful`: the child is asked to end, may leave a note of `noteBytes`, and is killed if it does not end. `now`:
   * it is killed.
   */
  | { readonly type: 'stop'; readonly how: 'graceful' | 'now'; readonly noteBytes?: number }
  | { readonly type: 'timer' }
  | { readonly type: 'message'; readonly child: number; readonly message: FromEngine }
  | { readonly type: 'log-line'; readonly child: number; readonly text: string }
  /**
   * `reason`: exit code or signal, or why no child could be started. `encoding`: noun for the parts of requests that
   * it was encoding.
   */
  | { readonly type: 'exit'; readonly child: number; readonly reason: string; readonly encoding?: string | undefined }

/** Events of the process for the rest of the server. `exited` is the last. */
export type ProcessEvent =
  /** The load goes on. `fraction`: share of the model read, 0 to 1. Undefined if unknown. */
  | { readonly type: 'progress'; readonly fraction?: number }
  /** `times`: durations of the load's phases inside the child. */
  | { readonly type: 'started'; readonly info: EngineInfo; readonly isCautious: boolean; readonly times?: LoadTimes }
  /** `exited` follows. `isCrash`: the child hung, or a signal ended it that was not caused by a lack of memory. */
  | {
      readonly type: 'start-failed'
      readonly code: LoadFailure
      readonly reason: string
      readonly isCrash?: true
    }
  /** Costs of the engine's steps measured so far. */
  | { readonly type: 'learned'; readonly stepCurves: readonly StepCurve[] }
  /** Parts of the note in its memory file. `exited` follows. */
  | { readonly type: 'note'; readonly parts: readonly NotePart[] }
  /** The killed process does not end: it serves no more, and its memory stays taken. */
  | { readonly type: 'lost' }
  /**
   * `wasAsked`: after a `stop`. `out-of-memory`: killed by the system. `isCrash`: as above, unless a part of a request
   * was at fault.
   */
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
  /** Replaces the running timer. The event `timer` follows. */
  | { readonly type: 'set-timer'; readonly afterMs: number }
  | { readonly type: 'clear-timer' }
  /** Hands a message to the request in the child that it concerns. */
  | { readonly type: 'deliver'; readonly message: RequestMessage }
  /** Ends the child's requests, because no answer will come any more. */
  | { readonly type: 'disconnect'; readonly reason: string; readonly cause: EndCause }
  | { readonly type: 'tell'; readonly event: ProcessEvent }
  | { readonly type: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly message: string }

type RequestMessage = Extract<FromEngine, { type: 'stats' | 'events' }>

export function newLife(options: Omit<EngineLife, 'phase'>): EngineLife {
  return { phase: { type: 'preparing' }, ...options }
}

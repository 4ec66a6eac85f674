/** The life of one model's engine child: its states, what happens to it, and what is done about that (`supervisor.ts`). */
import type { ApiError } from '../core/errors.ts'
import type { InstalledModel } from '../core/model.ts'
import type { ExitEvidence } from './crash-policy.ts'
import type { EngineInfo, FromEngine, LoadFailure, RuntimePaths, ToEngine } from './protocol.ts'
import type { Pulse } from './watchdog.ts'

export interface EngineLife {
  /** What the next start loads. */
  readonly model: InstalledModel
  readonly phase: Phase
  readonly history: History
}

export type Phase =
  | { readonly type: 'stopped' }
  /** No start before `retryAtMs`. */
  | { readonly type: 'failed'; readonly retryAtMs: number }
  /** Starts when the timer rings: the last child has just failed. */
  | { readonly type: 'waiting' }
  /** Native libraries are being located, or unpacked. */
  | { readonly type: 'preparing' }
  | { readonly type: 'loading'; readonly child: Child }
  | { readonly type: 'ready'; readonly child: Child; readonly info: EngineInfo }
  | { readonly type: 'stopping'; readonly child: Child; readonly next: AfterStop }

/** `rest`: like `stop`, but a request that comes meanwhile loads the model again. */
export type AfterStop = 'stop' | 'rest' | 'reload'

export interface Child {
  /** Counts children from 1: events of earlier ones are ignored. */
  readonly number: number
  readonly model: InstalledModel
  readonly pulse: Pulse
  readonly evidence: ExitEvidence
}

export interface History {
  /** Children that were started. */
  readonly starts: number
  readonly failureTimesMs: readonly number[]
  /** Why the child last ended without being asked to. */
  readonly lastExit?: string
  /** Why the model could not be loaded the last time; undefined when it could. */
  readonly failedLoad?: string
  readonly failedLoadCode?: LoadFailure
  /** A load killed its child: the next ones leave out what may have caused it. */
  readonly isCautious: boolean
}

export type LifeEvent =
  | { readonly type: 'load'; readonly model: InstalledModel; readonly isIdle: boolean }
  | { readonly type: 'unload' }
  /** No request runs or waits any more. */
  | { readonly type: 'idle' }
  /** It has been idle for as long as the model is kept. */
  | { readonly type: 'expired' }
  | { readonly type: 'timer' }
  | { readonly type: 'prepared'; readonly runtime: RuntimePaths }
  | { readonly type: 'preparation-failed'; readonly reason: string }
  | { readonly type: 'message'; readonly child: number; readonly message: FromEngine }
  | { readonly type: 'log-line'; readonly child: number; readonly text: string }
  /** `reason` is the exit code or signal, or why there is no child at all. */
  | { readonly type: 'exit'; readonly child: number; readonly reason: string }

export type Effect =
  /** The model can serve: waiting loads resolve. */
  | { readonly type: 'admit' }
  /** The model cannot serve: waiting loads reject. */
  | { readonly type: 'refuse'; readonly error: ApiError }
  /** Locates the native libraries; `prepared` or `preparation-failed` follows. */
  | { readonly type: 'prepare' }
  | ({ readonly type: 'spawn'; readonly child: number } & Pick<Load, 'model' | 'runtime' | 'isCautious'>)
  | { readonly type: 'send'; readonly message: Extract<ToEngine, { type: 'stats' | 'stop' }> }
  | { readonly type: 'kill' }
  /** Replaces the timer that runs; `timer` follows. */
  | { readonly type: 'set-timer'; readonly afterMs: number }
  | { readonly type: 'clear-timer' }
  /** For the requests that the child has. */
  | { readonly type: 'deliver'; readonly message: RequestMessage }
  /** The child is gone: its requests fail. */
  | { readonly type: 'child-ended'; readonly reason: string }
  /** There is no child: waiting unloads resolve. */
  | { readonly type: 'unloaded' }
  /** Loads the model ahead of the next request; a failure is logged. */
  | { readonly type: 'load-again' }
  | { readonly type: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly message: string }

type Load = Extract<ToEngine, { type: 'load' }>
export type RequestMessage = Extract<FromEngine, { type: 'stats' | 'events' }>

export function newLife(model: InstalledModel): EngineLife {
  return { model, phase: { type: 'stopped' }, history: { starts: 0, failureTimesMs: [], isCautious: false } }
}

/**
 * The scheduler's events. Its arm (`engines/`) reports everything that it knows: the scheduler has no clock and reads nothing.
 * Per model there is one process at a time; its events come in order, `exited` is the last, and none comes after it.
 */
import type { MemoryBytes, Placement, PoolId } from '../core/memory.ts'
import type { WorkKind } from '../core/work.ts'
import type { SchedulerSettings } from './settings.ts'

/** Names a request from its `request` or `load` event on; never used twice. */
export type RequestId = number

export type SchedulerEvent =
  /** Replaces all settings. A model that is not listed any more is unloaded when its admitted requests have ended. */
  | { readonly type: 'configured'; readonly settings: SchedulerSettings }
  /** Answered by exactly one `admit` or `reject`, unless `cancel` comes before. An admitted request ends with `finished`. */
  | {
      readonly type: 'request'
      readonly request: RequestId
      readonly model: string
      readonly account: string
      readonly kind: WorkKind
      /** Rejected when it has waited this long; at once, when it is expected to. */
      readonly waitLimitMs: number
      /**
       * It was admitted before, to a process that ended with it: it comes before others of its account, and is not turned away for
       * want of places or for the wait. `suspect`: the process may have ended because of it, so it is admitted alone.
       */
      readonly again?: Again
    }
  /** An admitted request no longer waits in its process: the engine has begun it, or its client left. */
  | { readonly type: 'begun'; readonly request: RequestId }
  /** A suspect has given output to its client: others may be admitted beside it. */
  | { readonly type: 'cleared'; readonly request: RequestId }
  /** The client left while its request waited. One that was admitted is `finished` instead. */
  | { readonly type: 'cancel'; readonly request: RequestId }
  /**
   * An admitted request has ended. Those of a process that exited end with its `exited`, without this. `isServed`: the process
   * did all of it, so it works.
   */
  | { readonly type: 'finished'; readonly request: RequestId; readonly isServed?: boolean }
  /**
   * Answers `estimate`, or comes unasked when more is known (after a measurement). The fastest placement first; at least one.
   * A way to need less memory, such as a smaller micro batch, is a placement that
   * follows the one it lessens: after a start that failed for memory the same one is tried again once, then the next one.
   */
  | {
      readonly type: 'estimated'
      readonly model: string
      readonly placements: readonly Placement[]
      /** Expected milliseconds of a load. Undefined without earlier loads. */
      readonly loadMs?: number
    }
  /** The model's files are bad: it fails until its `revision` changes. Or its need could not be found out. */
  | {
      readonly type: 'estimate-failed'
      readonly model: string
      /** `other` may pass by itself: it is asked again after a while. */
      readonly cause: 'bad-model' | 'other'
      readonly reason: string
    }
  /** A start goes on: without one of these for 60 s it is ended. `fraction` is 0 to 1. Undefined if unknown. */
  | { readonly type: 'progress'; readonly model: string; readonly fraction?: number }
  /** The process serves. `measured` is its memory. Undefined if unknown. */
  | { readonly type: 'started'; readonly model: string; readonly measured?: MemoryBytes }
  /** The process could not load the model. It ends by itself, or the arm ends it: `exited` follows. */
  | {
      readonly type: 'start-failed'
      readonly model: string
      readonly cause: StartFailure
      readonly reason: string
    }
  /** A running process was measured again. */
  | { readonly type: 'grew'; readonly model: string; readonly measured: MemoryBytes }
  /** The process is gone, asked to or not, and its requests with it. Also where it could not even be started. */
  | { readonly type: 'exited'; readonly model: string; readonly cause: 'ended' | 'oom'; readonly reason: string }
  /** One reading: pools that are left out were not read. Wanted at least after `read-memory`. */
  | { readonly type: 'memory'; readonly pools: Readonly<Record<PoolId, PoolReading>> }
  /**
   * The operator, or the server at its start, wants the model loaded: waits like a request that takes no place. `admit` says
   * that the model is ready (no `finished` follows), `reject` that it will not be.
   */
  | { readonly type: 'load'; readonly model: string; readonly request: RequestId; readonly waitLimitMs: number }
  /** Unpins the model, and stops it when its admitted requests have ended. Those that wait keep their places, and load it again. */
  | { readonly type: 'unload'; readonly model: string }
  /** The server stops: every process is stopped, every waiting request rejected, nothing is started any more. */
  | { readonly type: 'stop-all' }
  /** The time that `wake` asked for has come. */
  | { readonly type: 'tick' }

export type EventOf<Type extends SchedulerEvent['type']> = Extract<SchedulerEvent, { type: Type }>

export type Again = 'innocent' | 'suspect'

/** `timeout` means that the arm gave up on a silent child. A start with an unknown cause is a `crash`. */
export type StartFailure = 'oom' | 'bad-model' | 'crash' | 'timeout'

export type PoolReading = { readonly totalBytes: number; readonly freeBytes: number } | 'unknown'

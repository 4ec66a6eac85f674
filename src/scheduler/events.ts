/**
 * The scheduler's events. Its arm (`engines/`) reports everything that it knows: the scheduler has no clock and reads
 * nothing. Per model there is one process at a time; its events come in order, `exited` is the last, and none comes
 * after it.
 */
import type { MemoryBytes, Placement, PoolId } from '../core/memory.ts'
import type { WorkKind } from '../core/work.ts'
import type { SchedulerSettings } from './settings.ts'

/** Id of a request from its `request` or `load` event on. Never used twice. */
export type RequestId = number

export type SchedulerEvent =
  /** Replaces all settings. A model that is not listed any more is unloaded when its admitted requests have ended. */
  | { readonly type: 'configured'; readonly settings: SchedulerSettings }
  /**
   * A request. Answered by exactly one `admit` or `reject`, unless `cancel` comes before. An admitted request ends with
   * `finished`.
   */
  | {
      readonly type: 'request'
      readonly request: RequestId
      readonly model: string
      readonly account: string
      readonly kind: WorkKind
      /** Longest wait. The request is rejected after it, or at once if a longer wait is expected. */
      readonly waitLimitMs: number
      /**
       * Set if the request was admitted before, to a process that has ended. It then precedes others of its
       * account, and is not rejected for lack of places or for its wait. `suspect`: the process may have ended because
       * of it, so it is admitted alone.
       */
      readonly again?: Again
    }
  /** An admitted request no longer waits in its process: the engine has begun it, or its client left. */
  | { readonly type: 'begun'; readonly request: RequestId }
  /** A suspect has given output to its client: others may be admitted beside it. */
  | { readonly type: 'cleared'; readonly request: RequestId }
  /** The client left while its request waited. An admitted request gets `finished` instead. */
  | { readonly type: 'cancel'; readonly request: RequestId }
  /**
   * An admitted request has ended. If its process exited, `exited` takes the place of this event. `isServed`: the
   * process completed it, so the process works.
   */
  | { readonly type: 'finished'; readonly request: RequestId; readonly isServed?: boolean }
  /**
   * Answers `estimate`, or comes unasked after a measurement. Lists at least one placement, in the order of tries: the
   * fastest first, then those with less memory. After a start that failed for lack of memory, the same placement is
   * tried once more, then the next one.
   */
  | {
      readonly type: 'estimated'
      readonly model: string
      readonly placements: readonly Placement[]
      /** Expected milliseconds of a load. Undefined without earlier loads. */
      readonly loadMs?: number
    }
  /** The model's files are bad, so it fails until its `revision` changes; or its need could not be determined. */
  | {
      readonly type: 'estimate-failed'
      readonly model: string
      /** `other` may pass by itself: the estimate is repeated after a while. */
      readonly cause: 'bad-model' | 'other'
      readonly reason: string
    }
  /** A start makes progress. Without this event for 60 s it is ended. `fraction` is 0 to 1. Undefined if unknown. */
  | { readonly type: 'progress'; readonly model: string; readonly fraction?: number }
  /** The process is ready to serve. `measured` is its memory. Undefined if unknown. */
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
  /** The process is gone, asked to or not, and with it its requests. Also sent if it could not even be started. */
  | { readonly type: 'exited'; readonly model: string; readonly cause: 'ended' | 'oom'; readonly reason: string }
  /** One reading of memory. Omitted pools were not read. Required at least after `read-memory`. */
  | { readonly type: 'memory'; readonly pools: Readonly<Record<PoolId, PoolReading>> }
  /**
   * The operator, or the server at its start, wants the model loaded. The load waits like a request that takes no
   * place. `admit` says that the model is ready (no `finished` follows), `reject` that it will not be.
   */
  | { readonly type: 'load'; readonly model: string; readonly request: RequestId; readonly waitLimitMs: number }
  /**
   * Unpins the model, and stops it once its admitted requests have ended. Waiting requests keep their places, and load
   * it again.
   */
  | { readonly type: 'unload'; readonly model: string }
  /** The server stops: every process is stopped, every waiting request is rejected, and nothing is started any more. */
  | { readonly type: 'stop-all' }
  /** The time that `wake` asked for has come. */
  | { readonly type: 'tick' }

export type EventOf<Type extends SchedulerEvent['type']> = Extract<SchedulerEvent, { type: Type }>

export type Again = 'innocent' | 'suspect'

/** `timeout`: the arm gave up on a silent child. A start that failed for an unknown reason is a `crash`. */
export type StartFailure = 'oom' | 'bad-model' | 'crash' | 'timeout'

export type PoolReading = { readonly totalBytes: number; readonly freeBytes: number } | 'unknown'

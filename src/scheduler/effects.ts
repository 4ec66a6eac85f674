/**
 * Effects that the scheduler requests, in order. Its arm (`engines/`) performs them and answers with events.
 * A model's process has its own queue, shares its slots between accounts and batches. So the scheduler admits more than
 * the process works on: up to `places`, and beyond them one request per account that has none there, up to twice the
 * places. Further requests wait in the scheduler: first in, first out per account, and the accounts take turns.
 */
import type { Placement, PoolId } from '../core/memory.ts'
import type { RequestId } from './events.ts'

export type Effect =
  /** Estimates the model's need. `estimated` or `estimate-failed` follows. */
  | { readonly type: 'estimate'; readonly model: string }
  /** Starts the model's process. `progress`, `started` or `start-failed` follow, and `exited` at the end. */
  | { readonly type: 'start'; readonly model: string; readonly placement: Placement }
  /**
   * Stops the model's process. `graceful` asks it to end, `now` kills it and may follow `graceful`; `exited` follows
   * either. `retire` lets it end after its requests: `exited` comes at once, and those requests cause no events.
   */
  | { readonly type: 'stop'; readonly model: string; readonly how: StopKind; readonly why: StopReason }
  /** Hands the request to the model's process. */
  | { readonly type: 'admit'; readonly request: RequestId; readonly model: string }
  | ({ readonly type: 'reject'; readonly request: RequestId; readonly model: string } & Rejection)
  /** Reads the memory of all pools now. `memory` follows, with `unknown` for pools that cannot be read. */
  | { readonly type: 'read-memory' }
  /**
   * Requests a `tick` at this time, on the clock of the events. Replaces the previous request. Without a request there
   * is no tick.
   */
  | { readonly type: 'wake'; readonly atMs: number }
  | {
      readonly type: 'log'
      readonly level: 'info' | 'warn' | 'error'
      readonly model: string
      readonly message: string
    }

export type StopKind = 'graceful' | 'now' | 'retire'

export type StopReason =
  /** Another model needs the room. */
  | 'evicted'
  /** Loaded models hold more memory than there is. */
  | 'pressure'
  /** The model was unused for its keep-alive time. */
  | 'keep-alive'
  /** The operator unloads it, or the server stops. */
  | 'unload'
  /** The model's settings or files changed. It is loaded again when needed. */
  | 'changed'
  /** Nobody waits for the model, and another one needs its room. */
  | 'unwanted'
  /** The model's process did not start or stop in time. */
  | 'stuck'
  /** Its start failed. */
  | 'failed'

export interface Rejection {
  readonly code: RejectionCode
  readonly retryAfterSeconds: number
  readonly facts: RejectionFacts
}

export type RejectionCode =
  /** The model loads, or waits for its load, longer than the request may wait. */
  | 'model_loading'
  /** Too many requests wait for the model already. */
  | 'overloaded'
  /** Memory is short, and none may be taken from other models. */
  | 'insufficient_memory'
  /** The model failed to load or was removed, or the server stops. */
  | 'model_unavailable'

export interface RejectionFacts {
  /** Reason for `model_unavailable`. For the operator alone, as it may name files. */
  readonly reason?: string
  /** Expected wait of the request, for `model_loading` and `overloaded`. Undefined if it found no place to wait. */
  readonly expectedWaitMs?: number
  /** Missing memory and its holders, for `insufficient_memory`. */
  readonly shortage?: Shortage
}

export interface Shortage {
  readonly pool: PoolId
  readonly needBytes: number
  /** Bytes that models may use in the pool. Excludes other programs' bytes. */
  readonly roomBytes: number
  /** Bytes used by other programs, if they reduce the room. */
  readonly foreignBytes: number
  /** Models whose memory cannot be taken, the largest first. */
  readonly holders: readonly { readonly model: string; readonly bytes: number }[]
}

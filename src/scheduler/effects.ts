/**
 * What the scheduler wants done, in order. Its arm carries it out and answers with events.
 *
 * A model's process has its own queue, shares its slots between accounts and batches. So the scheduler admits more than the
 * process works on: up to `places`, and beyond them one request each of accounts that have none there, up to twice the
 * places. What waits longer waits in the scheduler: first in, first out per account, and the accounts take turns.
 */
import type { Placement, PoolId } from '../core/memory.ts'
import type { RequestId } from './events.ts'

export type Effect =
  /** What does the model need? `estimated` or `estimate-failed` follows. */
  | { readonly type: 'estimate'; readonly model: string }
  /** Starts the model's process. `progress`, `started` or `start-failed` follow, and `exited` at the end. */
  | { readonly type: 'start'; readonly model: string; readonly placement: Placement }
  /**
   * `graceful`: it is asked to end. `now`: it is killed. `exited` follows either; `now` may follow `graceful`. `retire`: it ends
   * when the requests that it has are finished; `exited` comes at once, and nothing is heard of those.
   */
  | { readonly type: 'stop'; readonly model: string; readonly how: StopKind; readonly why: StopReason }
  /** The model's process takes the request now. */
  | { readonly type: 'admit'; readonly request: RequestId; readonly model: string }
  | ({ readonly type: 'reject'; readonly request: RequestId; readonly model: string } & Rejection)
  /** The model starts soon: its files may be read into the page cache. May be ignored. */
  | { readonly type: 'read-ahead'; readonly model: string }
  /** Reads the memory of all pools now; `memory` follows, with `unknown` where it cannot be read. */
  | { readonly type: 'read-memory' }
  /** `tick` is wanted at this time, on the clock of the events. Replaces the one before; without one nothing is to be done. */
  | { readonly type: 'wake'; readonly atMs: number }
  | {
      readonly type: 'log'
      readonly level: 'info' | 'warn' | 'error'
      readonly model: string
      readonly message: string
    }

export type StopKind = 'graceful' | 'now' | 'retire'

export type StopReason =
  /** Room for another model. */
  | 'evicted'
  /** Less memory is left than the models that are loaded hold. */
  | 'pressure'
  /** Nothing asked for it for as long as it is kept. */
  | 'keep-alive'
  /** The operator unloads it, or the server stops. */
  | 'unload'
  /** Its settings or files changed: the next request loads it anew. */
  | 'changed'
  /** Nobody waits for it any more, and another model needs its room. */
  | 'unwanted'
  /** It neither starts nor stops within its time. */
  | 'stuck'
  /** Its start failed. */
  | 'failed'

export interface Rejection {
  readonly code: RejectionCode
  readonly retryAfterSeconds: number
  readonly facts: RejectionFacts
}

export type RejectionCode =
  /** It is loading, or waits to be loaded, for longer than the request would wait. */
  | 'model_loading'
  /** Too many requests wait for it already. */
  | 'overloaded'
  /** There is not enough memory, and none that may be taken from others. */
  | 'insufficient_memory'
  /** It could not be loaded, is not there any more, or the server stops. */
  | 'model_unavailable'

export interface RejectionFacts {
  /** Of `model_unavailable`: for the operator alone, may name files. */
  readonly reason?: string
  /** Of `model_loading` and `overloaded`: how long the request would have to wait. */
  readonly expectedWaitMs?: number
  /** Of `insufficient_memory`: where it lacks, and who holds it. */
  readonly shortage?: Shortage
}

export interface Shortage {
  readonly pool: PoolId
  readonly needBytes: number
  /** What models may use of the pool at all, other programs' use taken off. */
  readonly roomBytes: number
  /** Use by other programs, where it lessens the room. */
  readonly foreignBytes: number
  /** Models whose memory cannot be taken, the largest first. */
  readonly holders: readonly { readonly model: string; readonly bytes: number }[]
}

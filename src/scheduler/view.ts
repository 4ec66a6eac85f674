/** The scheduler's state as seen from outside: for `inferd ps`, the admin API and metrics. */
import type { MemoryBytes, Placement, PoolId } from '../core/memory.ts'
import type { RequestId } from './events.ts'

export interface ModelView {
  readonly id: string
  readonly state: ModelState
  /** While there is a process. */
  readonly placement?: Placement
  /** Held for its process. */
  readonly reserved: MemoryBytes
  readonly measured?: MemoryBytes
  /** Admitted and not finished. */
  readonly admitted: number
  readonly waiting: number
  /** 0 where nothing waits. */
  readonly longestWaitMs: number
  readonly pinned: boolean
  /** Learned: how long a load takes. Worth keeping for the next run. */
  readonly loadMs: number
  /** Learned: requests, decaying with ten minutes. Worth keeping for the next run. */
  readonly arrivalsPerSecond: number
  /** Undefined before its first request. */
  readonly lastUsedMs?: number
  /** While `failed`: why, and until when. No time: until its revision changes or an operator loads it. */
  readonly failure?: { readonly reason: string; readonly untilMs?: number }
}

/** `draining`: takes no more requests, and stops when those that it has are finished. */
export type ModelState = 'absent' | 'estimating' | 'starting' | 'ready' | 'draining' | 'stopping' | 'failed'

export interface PoolView {
  readonly id: PoolId
  /** Undefined while it cannot be read. */
  readonly reading: { readonly totalBytes: number; readonly freeBytes: number; readonly atMs: number } | undefined
  /** What models may use in all: the rest is kept back, used by others, or above the limit. 0 while that is unknown. */
  readonly roomBytes: number
  readonly reservedBytes: number
  /** Use by other programs. */
  readonly foreignBytes: number
  /** Nothing is started there: a process that was killed does not end. */
  readonly isFrozen: boolean
}

export interface WaitingView {
  readonly request: RequestId
  readonly model: string
  readonly account: string
  readonly sinceMs: number
  /** Requests that the model takes before it. */
  readonly ahead: number
}

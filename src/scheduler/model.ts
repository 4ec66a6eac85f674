/** The scheduler's state of one model. */
import type { MemoryBytes, Placement } from '../core/memory.ts'
import type { WorkKind } from '../core/work.ts'
import type { ArrivalRate } from './arrival-rate.ts'
import type { RejectionCode, StopReason } from './effects.ts'
import type { RequestId, StartFailure } from './events.ts'
import type { Holder } from './ledger.ts'
import { bytesOf, largest, sum } from './memory-bytes.ts'
import type { ModelSettings } from './settings.ts'
import { type Waiter, WaitingQueue } from './waiting-queue.ts'

export interface Model {
  readonly id: string
  settings: ModelSettings
  /** True once the model has left the settings. */
  isRemoved: boolean
  isPinned: boolean
  phase: Phase
  estimate: 'unknown' | 'asked' | readonly Placement[]
  /** Memory by placement: the most that it was seen to use, or its raised need after it ran out of memory. */
  readonly seen: Map<string, MemoryBytes>
  readonly queue: WaitingQueue
  /** `load` events that wait for the model. */
  readonly loads: Waiter[]
  readonly admitted: Map<RequestId, Admitted>
  /**
   * Reason to load it although nobody waits. `where-free`: it should be preloaded, or its process crashed, so it is
   * loaded if there is room. `for-idle`: a request would not wait for the load, and its client is told to retry; idle
   * models make room.
   */
  wish: 'none' | 'where-free' | 'for-idle'
  /** Time since which it is pinned. */
  pinnedSinceMs: number
  /** Failures, and the time of the next try (`failure-steps.ts`). */
  troubles: Troubles
  /** Learned. */
  loadMs: number
  /** Learned time of a request from admission to its end. */
  serviceMs: number
  arrivals: ArrivalRate
  lastUsedMs: number | undefined
}

export interface Admitted {
  readonly account: string
  readonly kind: WorkKind
  /** False while the request waits in the process. */
  readonly hasBegun: boolean
  readonly atMs: number
  /**
   * `suspect`: a process may have ended because of the request, and it has had no output since. `cleared`: a former
   * suspect.
   */
  readonly standing: 'usual' | 'suspect' | 'cleared'
}

export type Phase = { readonly type: 'absent' } | PhaseWithProcess

export type PhaseWithProcess =
  | (OfProcess & { readonly type: 'starting'; progressAtMs: number; fraction: number | undefined })
  | (OfProcess & { readonly type: 'ready' })
  /**
   * Takes no more requests. `beneficiary`: the model that needs its room. If that model no longer needs it, this one
   * becomes ready again.
   */
  | (OfProcess & { readonly type: 'draining'; readonly why: StopReason; readonly beneficiary: string | undefined })
  | (OfProcess & { readonly type: 'stopping'; killedAtMs: number | undefined; readonly failure: Failure | undefined })

interface OfProcess {
  readonly holder: Holder
  readonly placement: Placement
  readonly revision: string
  /** Start of this phase; for `draining` also the time at which it became ready. */
  readonly sinceMs: number
}

export interface Failure {
  readonly cause: StartFailure
  readonly reason: string
}

interface Troubles {
  /** Placements that ran out of memory twice. */
  readonly exhausted: Set<string>
  /** Placement that ran out of memory once. */
  retried: string | undefined
  readonly crashTimesMs: number[]
  /** Number of final failures since a start succeeded. */
  failures: number
  /** Number of times that its need was raised because a serving process ran out of memory. */
  growths: number
  /** No start before. */
  notBeforeMs: number
  failed: { readonly code: RejectionCode; readonly reason: string; readonly untilMs: number | undefined } | undefined
}

const serviceGuessMs = 5_000

export function newModel(settings: ModelSettings, nowMs: number): Model {
  return {
    id: settings.id,
    settings,
    isRemoved: false,
    isPinned: settings.pinned,
    phase: { type: 'absent' },
    estimate: 'unknown',
    seen: new Map(),
    queue: new WaitingQueue(),
    loads: [],
    admitted: new Map(),
    wish: settings.preload ? 'where-free' : 'none',
    pinnedSinceMs: nowMs,
    troubles: noTroubles(),
    loadMs: settings.loadMs,
    serviceMs: serviceGuessMs,
    arrivals: { perSecond: 0, atMs: nowMs },
    lastUsedMs: undefined,
  }
}

export function noTroubles(): Troubles {
  return {
    exhausted: new Set(),
    retried: undefined,
    crashTimesMs: [],
    failures: 0,
    growths: 0,
    notBeforeMs: 0,
    failed: undefined,
  }
}

/** Returns the memory that a start needs, as far as known by now. */
export function needOf(model: Model, { key, needBytes }: Placement): MemoryBytes {
  const seen = model.seen.get(key)
  return seen === undefined ? needBytes : largest(needBytes, seen)
}

/** Records that the placement needs more than was assumed. */
export function addNeed(model: Model, placement: Placement, more: MemoryBytes): void {
  model.seen.set(placement.key, sum(needOf(model, placement), more))
}

export function isIdle({ phase, admitted }: Model): boolean {
  return phase.type === 'ready' && admitted.size === 0
}

/** Returns the start of the longest wait for the model; Infinity if nobody waits. */
export function oldestWaitMs({ queue, loads, isPinned, pinnedSinceMs, phase }: Model): number {
  const pin = isPinned && phase.type === 'absent' ? pinnedSinceMs : Number.POSITIVE_INFINITY
  return Math.min(queue.oldestMs(), loads[0]?.sinceMs ?? Number.POSITIVE_INFINITY, pin)
}

export function isAwaited(model: Model): boolean {
  return model.queue.size > 0 || model.loads.length > 0 || model.isPinned
}

/** Returns whether the model should be loaded, awaited or not. */
export function isWanted(model: Model): boolean {
  return isAwaited(model) || model.wish !== 'none'
}

export function holdsDevice({ phase }: Model): boolean {
  if (phase.type === 'absent') return false
  const { reserved } = phase.holder
  return Object.keys(reserved).some((pool) => pool !== 'host' && bytesOf(reserved, pool) > 0)
}

/** State of the scheduler as shown by `inferd ps`, the admin API and metrics. */
import type { MemoryBytes, Placement, PoolId } from '../core/memory.ts'
import type { ModelState } from '../core/model-state.ts'
import type { RequestId } from './events.ts'
import type { Model } from './model.ts'
import { roomBytes } from './pool.ts'
import type { State } from './state.ts'
import type { SteadyClock } from './steady-clock.ts'
import { unloadsAtMs } from './time-limits.ts'
import { waitingFor } from './waiting-room.ts'

/** The scheduler's facts of a model, which the pool turns into its `ModelState`. */
export interface ScheduledModel {
  readonly id: string
  readonly state: ModelState['state']
  /** Placement of its process. Undefined without a process. */
  readonly placement?: Placement
  /** Bytes held for its process. */
  readonly reserved: MemoryBytes
  readonly measured?: MemoryBytes
  /** Admitted, unfinished requests. */
  readonly admitted: number
  /** Requests that no engine has begun, admitted ones included. */
  readonly waiting: number
  /** 0 if nothing waits. */
  readonly longestWaitMs: number
  readonly pinned: boolean
  /** Learned time of a load. */
  readonly loadMs: number
  /** Time of its unload for being idle, if no request comes. Undefined if there is none. */
  readonly unloadsAtMs?: number
  /**
   * Reason of a failure and its end. Without an end it lasts until the revision changes or an operator loads or unloads
   * the model.
   */
  readonly failure?: { readonly reason: string; readonly untilMs?: number }
}

export interface PoolView {
  readonly id: PoolId
  /** Latest reading. Undefined while the pool cannot be read. */
  readonly reading: { readonly totalBytes: number; readonly freeBytes: number; readonly atMs: number } | undefined
  /**
   * Bytes that models may use in total: without the reserve, other programs' use, and memory above the limit. 0 while
   * unknown.
   */
  readonly roomBytes: number
  readonly reservedBytes: number
  /** Bytes used by other programs. */
  readonly foreignBytes: number
  /** True if a killed process does not end: nothing is started in this pool. */
  readonly isFrozen: boolean
}

export interface WaitingView {
  readonly request: RequestId
  readonly model: string
  readonly account: string
  readonly sinceMs: number
  /** Requests that the model takes before this one. */
  readonly ahead: number
}

export function viewModels({ models, nowMs }: State, clock: SteadyClock): readonly ScheduledModel[] {
  return [...models.values()].map((model) => {
    const { id, phase, admitted, queue, loads, isPinned, loadMs, troubles } = model
    const { failed } = troubles
    const unloads = unloadsAtMs(model, nowMs)
    return {
      id,
      state: stateOf(model),
      reserved: phase.type === 'absent' ? {} : phase.holder.reserved,
      ...(phase.type !== 'absent' && { placement: phase.placement }),
      ...(phase.type !== 'absent' && phase.holder.measured !== undefined && { measured: phase.holder.measured }),
      admitted: admitted.size,
      waiting: [...waitingFor(model)].length,
      longestWaitMs: Math.max(0, nowMs - Math.min(queue.oldestMs(), loads[0]?.sinceMs ?? nowMs)),
      pinned: isPinned,
      loadMs,
      ...(unloads !== Number.POSITIVE_INFINITY && { unloadsAtMs: clock.toArmMs(unloads) }),
      ...(failed !== undefined && {
        failure: {
          reason: failed.reason,
          ...(failed.untilMs !== undefined && { untilMs: clock.toArmMs(failed.untilMs) }),
        },
      }),
    }
  })
}

function stateOf({ phase, estimate, troubles }: Model): ModelState['state'] {
  if (phase.type !== 'absent') return phase.type
  if (troubles.failed !== undefined) return 'failed'
  return estimate === 'asked' ? 'estimating' : 'stopped'
}

export function viewPools({ ledger }: State, clock: SteadyClock): readonly PoolView[] {
  return [...ledger.pools.values()].map((pool) => {
    const { id, totalBytes, reading, foreignBytes } = pool
    return {
      id,
      reading: reading && { totalBytes, freeBytes: reading.freeBytes, atMs: clock.toArmMs(reading.atMs) },
      roomBytes: roomBytes(pool) ?? 0,
      reservedBytes: ledger.reservedBytes(id),
      foreignBytes,
      isFrozen: ledger.isFrozen(id),
    }
  })
}

export function viewWaiting({ waiting }: State, clock: SteadyClock): readonly WaitingView[] {
  const before = new Map<string, number>()
  return [...waiting.values()].map(({ model, waiter: { request, account, sinceMs }, isLoad }) => {
    const key = `${model.id}\n${account}`
    const own = before.get(key) ?? 0
    if (!isLoad) before.set(key, own + 1)
    return {
      request,
      model: model.id,
      account,
      sinceMs: clock.toArmMs(sinceMs),
      ahead: isLoad ? 0 : model.queue.ahead(account, own),
    }
  })
}

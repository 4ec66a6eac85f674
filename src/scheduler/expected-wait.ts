/** Expected wait of a request: loads before its model's, that load, and its turn. */
import { bytesOf } from './memory-bytes.ts'
import { isAwaited, isIdle, type Model } from './model.ts'
import { rankOf, untilStarvingMs } from './next-models.ts'
import { drainMs } from './room-plan.ts'
import type { State } from './state.ts'
import { targetsOf } from './targets.ts'

/** Returns the expected wait of a new request of this account. */
export function expectedWaitMs(state: State, model: Model, account: string): number {
  return untilReadyMs(state, model) + turnMs(model, account)
}

function untilReadyMs(state: State, model: Model): number {
  const { phase } = model
  switch (phase.type) {
    case 'ready':
      return 0
    case 'starting':
      return remainingLoadMs(model, state.nowMs)
    case 'draining':
      return drainMs(model) + loadsBeforeMs(state, model) + model.loadMs
    case 'stopping':
    case 'absent':
      return loadsBeforeMs(state, model) + roomMs(state, model) + model.loadMs
  }
}

/** Returns the expected wait for a place, in milliseconds. The process serves its places in parallel. */
function turnMs({ phase, admitted, queue, settings, serviceMs }: Model, account: string): number {
  const taken = phase.type === 'ready' ? admitted.size : 0
  const before = taken + queue.ahead(account) + 1 - settings.places
  return (Math.max(0, before) * serviceMs) / settings.places
}

function remainingLoadMs({ phase, loadMs }: Model, nowMs: number): number {
  return phase.type === 'starting' ? Math.max(0, loadMs - (nowMs - phase.sinceMs)) : 0
}

/** Returns the remaining time of running loads and of those that come first. */
function loadsBeforeMs(state: State, model: Model): number {
  const own = rankOf(model, state.nowMs)
  let beforeMs = 0
  for (const other of state.models.values()) {
    if (other === model) continue
    if (other.phase.type === 'starting') beforeMs += remainingLoadMs(other, state.nowMs)
    if (other.phase.type !== 'absent' || !isAwaited(other) || other.troubles.failed !== undefined) continue
    const rank = rankOf(other, state.nowMs)
    if (rank.starvedMs > own.starvedMs || (rank.starvedMs === own.starvedMs && rank.ageMs >= own.ageMs)) {
      beforeMs += other.loadMs
    }
  }
  return beforeMs
}

/** Returns the time until there is room, if only busy models can make it. */
function roomMs(state: State, model: Model): number {
  const { placement } = targetsOf(model, state.ledger)?.[0] ?? {}
  if (placement === undefined) return 0
  const ready = [...state.models.values()].filter(({ phase, isPinned }) => phase.type === 'ready' && !isPinned)
  const staying = ready.filter((other) => !isIdle(other))
  const lacks = Object.keys(placement.needBytes).some((pool) => {
    const idleBytes = ready
      .filter(isIdle)
      .reduce((bytes, { phase }) => bytes + (phase.type === 'ready' ? bytesOf(phase.holder.reserved, pool) : 0), 0)
    return bytesOf(placement.needBytes, pool) > (state.ledger.freeBytes(pool) ?? 0) + idleBytes
  })
  if (!lacks || staying.length === 0) return 0
  const soonIdle = staying.filter(({ queue }) => queue.size === 0)
  if (soonIdle.length > 0) return Math.min(...soonIdle.map(drainMs))
  return Math.max(0, untilStarvingMs(model, state.nowMs)) + Math.min(...staying.map(drainMs))
}

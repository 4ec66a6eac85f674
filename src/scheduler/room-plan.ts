/** Plan for a model's room before its load: enough exists, others make room, or it waits. */
import type { MemoryBytes, Placement, PoolId } from '../core/memory.ts'
import { canFree, chooseVictims, reloadCost } from './choose-victims.ts'
import type { Shortage } from './effects.ts'
import { bytesOf, poolsOf, sum } from './memory-bytes.ts'
import { holdsDevice, isAwaited, isIdle, type Model, needOf } from './model.ts'
import { isStarving } from './next-models.ts'
import { keptBytes, type Pool } from './pool.ts'
import { longestRetrySeconds } from './reject.ts'
import { shortageOf } from './shortage.ts'
import type { State } from './state.ts'
import { type Target, targetsOf } from './targets.ts'

export type RoomPlan =
  | { readonly type: 'start'; readonly placement: Placement }
  /** Room is being freed, or no model may be evicted yet. */
  | { readonly type: 'wait'; readonly isComing: boolean; readonly wantsReading: boolean }
  /** Idle victims are stopped, busy ones take no more requests. */
  | { readonly type: 'make-room'; readonly victims: readonly Model[]; readonly cost: number }
  | { readonly type: 'impossible'; readonly shortage: Shortage }

/**
 * Maximum share of models' ready time that changes of models may cost. Beyond it busy models do not make room, even for
 * starving ones.
 */
const changeShare = 0.15
/** Age above which a reading no longer proves that memory is free. */
const freshMs = 5_000

const waiting: RoomPlan = { type: 'wait', isComing: false, wantsReading: false }
const unread: RoomPlan = { type: 'wait', isComing: false, wantsReading: true }
const coming: RoomPlan = { type: 'wait', isComing: true, wantsReading: true }

/** Returns the plan. `blocked` pools are left to other models. */
export function planRoom(state: State, model: Model, blocked: ReadonlySet<string>): RoomPlan {
  const targets = targetsOf(model, state.ledger)
  if (targets === undefined) return unread
  const plans = targets.map((target) => planTarget(state, model, target, blocked))
  const best = plans.reduce<RoomPlan | undefined>(
    (one, other) => (one && preference(one) <= preference(other) ? one : other),
    undefined,
  )
  return best ?? { type: 'impossible', shortage: shortageOf(state, model) }
}

function planTarget(state: State, model: Model, { placement, evicts }: Target, blocked: ReadonlySet<string>): RoomPlan {
  const { ledger } = state
  const need = needOf(model, placement)
  const pools = poolsOf(need)
  if (pools.some((id) => blocked.has(id) || ledger.isStarting(id) || ledger.isFrozen(id))) return waiting
  const short = isFresh(state, pools) ? shortIn(state, need) : undefined
  if (short === undefined) return unread
  if (poolsOf(short).length === 0) return showsRoom(state, need) ? { type: 'start', placement } : unread
  const lack = without(short, onItsWay(state))
  if (poolsOf(lack).length === 0) return coming
  if (evicts === 'none') return { type: 'impossible', shortage: shortageOf(state, model) }
  const loaded = [...state.models.values()].filter(
    (other) => other.phase.type === 'ready' && !other.isPinned && (evicts === 'any' || !holdsDevice(other)),
  )
  const idle = loaded.filter((other) => isIdle(other) && (isAwaited(model) || hadItsTurn(state, other)))
  const plan = makeRoom(state, lack, idle)
  if (plan !== undefined) return plan
  if (!canFree(state, lack, loaded)) return { type: 'impossible', shortage: shortageOf(state, model) }
  if (!isStarving(model, state.nowMs)) return waiting
  const stoppable = loaded.filter((other) => isIdle(other) || mayDrain(state, other, model))
  return makeRoom(state, lack, stoppable) ?? waiting
}

/**
 * Returns whether the rejected clients of the loaded model have come back for it, or no longer will. Otherwise two
 * clients that do not wait would keep unloading each other's models.
 */
function hadItsTurn({ nowMs }: State, { phase, lastUsedMs = 0 }: Model): boolean {
  return phase.type === 'ready' && (lastUsedMs >= phase.sinceMs || nowMs - phase.sinceMs >= longestRetrySeconds * 1000)
}

function isFresh({ ledger, nowMs }: State, pools: readonly PoolId[]): boolean {
  return pools.every((id) => nowMs - (ledger.pools.get(id)?.reading?.atMs ?? Number.NEGATIVE_INFINITY) <= freshMs)
}

/** Returns the bytes missing in each pool; undefined if unknown. */
function shortIn({ ledger }: State, need: MemoryBytes): MemoryBytes | undefined {
  const short: Record<string, number> = {}
  for (const id of poolsOf(need)) {
    const free = ledger.freeBytes(id)
    if (free === undefined) return undefined
    short[id] = Math.max(0, bytesOf(need, id) - free)
  }
  return short
}

/**
 * Returns whether a recent reading shows the room: other programs may have taken memory since their use was last
 * determined.
 */
function showsRoom({ ledger }: State, need: MemoryBytes): boolean {
  const isFree = (pool: Pool | undefined) =>
    pool?.reading !== undefined && pool.reading.freeBytes - bytesOf(need, pool.id) >= keptBytes(pool) / 2
  return poolsOf(need).every((id) => isFree(ledger.pools.get(id)))
}

/** Returns the bytes held by processes that end now or after their requests. */
function onItsWay({ ledger, models }: State): MemoryBytes {
  return ledger.holders
    .filter(
      ({ state, model }) => state === 'stopping' || state === 'gone' || models.get(model)?.phase.type === 'draining',
    )
    .reduce<MemoryBytes>((bytes, { reserved }) => sum(bytes, reserved), {})
}

function without(short: MemoryBytes, more: MemoryBytes): MemoryBytes {
  return Object.fromEntries(poolsOf(short).map((id) => [id, Math.max(0, bytesOf(short, id) - bytesOf(more, id))]))
}

function makeRoom(state: State, lack: MemoryBytes, models: readonly Model[]): RoomPlan | undefined {
  const victims = chooseVictims(state, lack, models)
  if (victims === undefined) return undefined
  const cost = victims.reduce((total, victim) => total + reloadCost(state, victim), 0)
  return { type: 'make-room', victims, cost }
}

function mayDrain(state: State, victim: Model, next: Model): boolean {
  if (victim.phase.type !== 'ready') return false
  return state.nowMs - victim.phase.sinceMs >= (next.loadMs + drainMs(victim)) / changeShare
}

/** Returns the expected time until the model's requests end. The last of several takes longer than the mean. */
export function drainMs({ admitted, settings, serviceMs }: Model): number {
  let expected = 0
  for (let count = Math.min(admitted.size, settings.parallel); count > 0; count--) expected += serviceMs / count
  return expected
}

/** Returns the rank of a plan, the best first. Among several sets of victims the cheapest is best. */
function preference(plan: RoomPlan): number {
  switch (plan.type) {
    case 'start':
      return -2
    case 'wait':
      return plan.isComing ? -1 : Number.MAX_VALUE
    case 'make-room':
      return plan.cost
    case 'impossible':
      return Number.POSITIVE_INFINITY
  }
}

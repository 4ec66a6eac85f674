/** Starts awaited models, one at a time per pool, and makes room for them. */
import type { PoolId } from '../core/memory.ts'
import { bytesOf, poolsOf } from './memory-bytes.ts'
import { isAwaited, isIdle, isWanted, type Model, needOf } from './model.ts'
import { nextModels, rankOf } from './next-models.ts'
import { noRoom, rejectWaiting } from './reject.ts'
import { planRoom, type RoomPlan } from './room-plan.ts'
import { askForReading, emit, type State, stopProcess } from './state.ts'
import { targetsOf } from './targets.ts'

/** Requests estimates for models of unknown need. */
export function askForEstimates(state: State): void {
  for (const model of state.models.values()) {
    if (model.estimate !== 'unknown' || !isWanted(model) || model.troubles.failed !== undefined) continue
    if (model.isRemoved || state.isClosing) continue
    model.estimate = 'asked'
    emit(state, { type: 'estimate', model: model.id })
  }
}

export function loadModels(state: State): void {
  const blocked = new Set<PoolId>()
  /** Pools with awaited models, where models that are merely wished for are not loaded. */
  const awaited = new Set<PoolId>()
  for (const model of nextModels(state)) {
    const plan = planRoom(state, model, isAwaited(model) ? blocked : awaited)
    carryOut(state, model, plan)
    if (!isAwaited(model)) continue
    for (const pool of wantedPools(state, model)) {
      awaited.add(pool)
      if (holdsUpOthers(state, model, plan)) blocked.add(pool)
    }
  }
}

/**
 * Returns whether the model reserves its pools: while room is being made for it, and all possible pools once it is
 * starving. Until then other models use them.
 */
function holdsUpOthers(state: State, model: Model, plan: RoomPlan): boolean {
  if (plan.type === 'make-room' || (plan.type === 'wait' && plan.isComing)) return true
  return plan.type === 'wait' && rankOf(model, state.nowMs).starvedMs > 0
}

function carryOut(state: State, model: Model, plan: RoomPlan): void {
  switch (plan.type) {
    case 'start':
      start(state, model, plan.placement)
      break
    case 'wait':
      if (plan.wantsReading) askForReading(state)
      break
    case 'make-room':
      if (isAwaited(model) || model.wish === 'for-idle') makeRoom(state, model, plan.victims)
      else model.wish = 'none'
      break
    case 'impossible':
      model.wish = 'none'
      rejectWaiting(state, model, noRoom(plan.shortage))
      break
  }
}

function start(state: State, model: Model, placement: Extract<RoomPlan, { type: 'start' }>['placement']): void {
  const holder = state.ledger.reserve(model.id, needOf(model, placement))
  const { nowMs } = state
  const { revision } = model.settings
  model.phase = {
    type: 'starting',
    holder,
    placement,
    revision,
    sinceMs: nowMs,
    progressAtMs: nowMs,
    fraction: undefined,
  }
  emit(state, { type: 'start', model: model.id, placement })
}

function makeRoom(state: State, model: Model, victims: readonly string[]): void {
  for (const id of victims) {
    const victim = state.models.get(id)
    if (victim?.phase.type !== 'ready') continue
    if (isIdle(victim)) stopProcess(state, victim, { how: 'graceful', why: 'evicted' })
    else {
      victim.phase = { ...victim.phase, type: 'draining', why: 'evicted', beneficiary: model.id }
      state.hasChanged = true
    }
  }
}

function wantedPools({ ledger }: State, model: Model): readonly PoolId[] {
  const targets = targetsOf(model, ledger) ?? []
  return targets.flatMap(({ placement }) => poolsOf(needOf(model, placement)))
}

/** Stops a start that nobody waits for and that blocks another model, unless it is half done. */
export function stopUnwantedStarts(state: State): void {
  for (const model of state.models.values()) {
    const { phase } = model
    if (phase.type !== 'starting' || isAwaited(model)) continue
    const done = phase.fraction ?? (state.nowMs - phase.sinceMs) / model.loadMs
    const { reserved } = phase.holder
    const isInTheWay = nextModels(state).some(
      (other) => isAwaited(other) && wantedPools(state, other).some((pool) => bytesOf(reserved, pool) > 0),
    )
    if (done < 0.5 && isInTheWay) stopProcess(state, model, { how: 'now', why: 'unwanted' })
  }
}

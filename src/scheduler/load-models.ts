/** Carries out the plan for an absent model's room: starts the model, makes room, or gives up. */
import type { Placement, PoolId } from '../core/memory.ts'
import { poolsOf } from './memory-bytes.ts'
import { isAwaited, isIdle, type Model, needOf } from './model.ts'
import { rankOf } from './next-models.ts'
import { askForReading } from './readings.ts'
import { noRoom, rejectWaiting } from './reject.ts'
import type { RoomPlan } from './room-plan.ts'
import { emit, type State, stopProcess } from './state.ts'
import { targetsOf } from './targets.ts'

export function carryOut(state: State, model: Model, plan: RoomPlan): void {
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

function start(state: State, model: Model, placement: Placement): void {
  const { ledger, nowMs } = state
  const holder = ledger.reserve(model.id, needOf(model, placement))
  const { revision } = model.settings
  const times = { sinceMs: nowMs, progressAtMs: nowMs, fraction: undefined }
  model.phase = { type: 'starting', holder, placement, revision, ...times }
  emit(state, { type: 'start', model: model.id, placement })
}

function makeRoom(state: State, model: Model, victims: readonly Model[]): void {
  for (const victim of victims) {
    if (victim.phase.type !== 'ready') continue
    if (isIdle(victim)) stopProcess(state, victim, { how: 'graceful', why: 'evicted' })
    else {
      victim.phase = { ...victim.phase, type: 'draining', why: 'evicted', beneficiary: model.id }
      state.hasChanged = true
    }
  }
}

/**
 * Returns whether the model reserves its pools: while others make room for it, and in all possible pools once it
 * starves. Until then other models use them.
 */
export function reservesPools(state: State, model: Model, plan: RoomPlan): boolean {
  if (plan.type === 'make-room' || (plan.type === 'wait' && plan.isComing)) return true
  return plan.type === 'wait' && rankOf(model, state.nowMs).starvedMs > 0
}

/** Returns the pools of all placements in which the model may be started. */
export function wantedPools({ ledger }: State, model: Model): readonly PoolId[] {
  const targets = targetsOf(model, ledger) ?? []
  return targets.flatMap(({ placement }) => poolsOf(needOf(model, placement)))
}

/**
 * The scheduler's rules, in the order in which they apply after each event. They apply again until none of them acts.
 *
 * 1. Memory of a process that ended five seconds ago is free, whatever readings show.
 * 2. A start without progress for 60 s is killed. So is a process that has not ended 5 s after it was asked to. A
 *    process that outlives its kill by 10 s freezes its pools until it ends.
 * 3. A model that drains for another one serves again if the other no longer needs its room.
 * 4. An idle model is stopped if it changed, or after its keep-alive time without requests.
 * 5. A ready model admits loads and requests: as many requests as it has places, and then one of each further account.
 * 6. A request is rejected once its wait limit has passed. This follows 5, so that no request is rejected that could be
 *    admitted.
 * 7. A draining model is stopped after its last request.
 * 8. Idle models are stopped while models hold more memory than there is.
 * 9. A start that nobody awaits is stopped if an awaited model needs its pools, unless half of it is done.
 * 10. The need of a wanted model is estimated.
 * 11. Wanted models are loaded, one at a time per pool: starving ones first, then those whose requests have waited
 *    longest in sum, then those that nobody awaits. Idle models make room, busy ones only for starving ones.
 * 12. Memory is read while ended processes return it, and every 30 s while any is held.
 * 13. A model that left the settings is forgotten once it holds nothing.
 */
import type { PoolId } from '../core/memory.ts'
import { admitRequests } from './admission.ts'
import { cheapestVictim } from './choose-victims.ts'
import { expectedWaitMs } from './expected-wait.ts'
import { carryOut, reservesPools, wantedPools } from './load-models.ts'
import { bytesOf } from './memory-bytes.ts'
import { isAwaited, isIdle, isWanted } from './model.ts'
import { nextModels } from './next-models.ts'
import { excessBytes } from './pool.ts'
import { askForReading, nextReadingMs } from './readings.ts'
import { leaveQueue, reject, tooLong } from './reject.ts'
import { planRoom } from './room-plan.ts'
import { emit, type State, stopProcess } from './state.ts'
import { dueMs, keptUntilMs, startLimitMs } from './time-limits.ts'

type Rule = (state: State) => void

/** Share of a load from which on it is no longer stopped for another model. */
const halfDone = 0.5

const releaseMemory: Rule = ({ ledger, nowMs }) => ledger.release(nowMs)

const enforceLimits: Rule = (state) => {
  for (const model of state.models.values()) {
    const { phase } = model
    if (dueMs(phase) > state.nowMs) continue
    if (phase.type === 'starting') {
      const failure = { cause: 'timeout', reason: `no progress for ${startLimitMs / 1000} s` } as const
      stopProcess(state, model, { how: 'now', why: 'stuck', failure })
    } else if (phase.type === 'stopping' && phase.killedAtMs === undefined) {
      phase.killedAtMs = state.nowMs
      emit(state, { type: 'stop', model: model.id, how: 'now', why: phase.failure === undefined ? 'stuck' : 'failed' })
    } else if (phase.type === 'stopping') {
      phase.holder.isStuck = true
      const message = 'its process was killed and does not end: nothing is loaded where it holds memory until it has'
      emit(state, { type: 'log', level: 'error', model: model.id, message })
    }
  }
}

const endNeedlessDrains: Rule = ({ models }) => {
  for (const model of models.values()) {
    const { phase } = model
    if (phase.type !== 'draining' || phase.beneficiary === undefined) continue
    const next = models.get(phase.beneficiary)
    const isNeeded = next?.phase.type === 'absent' && isAwaited(next) && next.troubles.failed === undefined
    if (isNeeded && !model.isPinned) continue
    const { holder, placement, revision, sinceMs } = phase
    model.phase = { type: 'ready', holder, placement, revision, sinceMs }
  }
}

const stopIdle: Rule = (state) => {
  for (const model of state.models.values()) {
    if (!isIdle(model) || model.phase.type !== 'ready') continue
    const isAskedFor = model.queue.size > 0 || model.loads.length > 0
    const hasChanged = model.phase.revision !== model.settings.revision
    if (hasChanged) stopProcess(state, model, { how: 'graceful', why: 'changed' })
    else if (!isAskedFor && keptUntilMs(model) <= state.nowMs)
      stopProcess(state, model, { how: 'graceful', why: 'keep-alive' })
  }
}

const admitWaiting: Rule = (state) => {
  for (const model of state.models.values()) {
    if (model.phase.type !== 'ready') continue
    for (const { request } of [...model.loads]) {
      leaveQueue(state, request)
      emit(state, { type: 'admit', request, model: model.id })
    }
    admitRequests(state, model)
  }
}

const rejectLate: Rule = (state) => {
  for (const { model, waiter } of state.waiting.values()) {
    if (waiter.deadlineMs > state.nowMs) continue
    leaveQueue(state, waiter.request)
    reject(state, waiter.request, model.id, tooLong(model, expectedWaitMs(state, model, waiter.account)))
  }
}

const stopDrained: Rule = (state) => {
  for (const model of state.models.values()) {
    if (model.phase.type !== 'draining' || model.admitted.size > 0) continue
    stopProcess(state, model, { how: 'graceful', why: model.phase.why })
  }
}

const relievePressure: Rule = (state) => {
  for (const [id, pool] of state.ledger.pools) {
    for (;;) {
      const excess = excessBytes(pool, state.ledger.heldBytes(id))
      const idle = [...state.models.values()].filter((model) => isIdle(model) && !model.isPinned)
      const victim = excess === 0 ? undefined : cheapestVictim(state, { [id]: excess }, idle)
      if (victim === undefined) break
      stopProcess(state, victim, { how: 'graceful', why: 'pressure' })
    }
  }
}

const stopUnwantedStarts: Rule = (state) => {
  for (const model of state.models.values()) {
    const { phase } = model
    if (phase.type !== 'starting' || isAwaited(model)) continue
    const done = phase.fraction ?? (state.nowMs - phase.sinceMs) / model.loadMs
    const { reserved } = phase.holder
    const isInTheWay = nextModels(state).some(
      (other) => isAwaited(other) && wantedPools(state, other).some((pool) => bytesOf(reserved, pool) > 0),
    )
    if (done < halfDone && isInTheWay) stopProcess(state, model, { how: 'now', why: 'unwanted' })
  }
}

const askForEstimates: Rule = (state) => {
  if (state.isClosing) return
  for (const model of state.models.values()) {
    const { estimate, troubles, isRemoved, id } = model
    if (estimate !== 'unknown' || isRemoved || troubles.failed !== undefined || !isWanted(model)) continue
    model.estimate = 'asked'
    emit(state, { type: 'estimate', model: id })
  }
}

const loadModels: Rule = (state) => {
  /** Pools kept for one model that waits for room. */
  const reserved = new Set<PoolId>()
  /** Pools of awaited models, in which no model is loaded that nobody awaits. */
  const awaited = new Set<PoolId>()
  for (const model of nextModels(state)) {
    const plan = planRoom(state, model, isAwaited(model) ? reserved : awaited)
    carryOut(state, model, plan)
    if (!isAwaited(model)) continue
    for (const pool of wantedPools(state, model)) {
      awaited.add(pool)
      if (reservesPools(state, model, plan)) reserved.add(pool)
    }
  }
}

const readMemory: Rule = (state) => {
  const { holders } = state.ledger
  const isReturning = holders.some((holder) => holder.state === 'gone')
  if (isReturning || (holders.length > 0 && state.nowMs >= nextReadingMs(state))) askForReading(state)
}

const forgetRemoved: Rule = ({ models, ledger }) => {
  for (const { id, isRemoved, phase } of models.values()) {
    if (isRemoved && phase.type === 'absent' && ledger.holders.every(({ model }) => model !== id)) models.delete(id)
  }
}

const rules: readonly Rule[] = [
  releaseMemory,
  enforceLimits,
  endNeedlessDrains,
  stopIdle,
  admitWaiting,
  rejectLate,
  stopDrained,
  relievePressure,
  stopUnwantedStarts,
  askForEstimates,
  loadModels,
  readMemory,
  forgetRemoved,
]

/** Applies the rules until nothing changes. */
export function applyRules(state: State): void {
  do {
    state.hasChanged = false
    for (const rule of rules) rule(state)
  } while (state.hasChanged)
}

/** Reactions to a failed start or a crash: another try, or a pause. Other models never pay for it. */
import type { MemoryBytes, Placement, PoolId } from '../core/memory.ts'
import type { RejectionCode } from './effects.ts'
import type { EventOf } from './events.ts'
import { releaseAfterMs } from './ledger.ts'
import { bytesOf, poolsOf } from './memory-bytes.ts'
import { addNeed, type Failure, type Model, needOf, type PhaseWithProcess } from './model.ts'
import { emptyRoomBytes } from './pool.ts'
import { failedBefore, rejectWaiting } from './reject.ts'
import { emit, type State } from './state.ts'
import { targetsOf } from './targets.ts'

const MiB = 1024 ** 2
const crashWindowMs = 60_000
const crashesToFail = 3
/** Waits after the first and the second crash. */
const backOffMs = [0, 500]
const failedMs = 60_000
const longestFailedMs = 15 * 60_000
/** Additional need assumed of a process that ran out of memory while it served. */
const growthBytes = 512 * MiB
/** Maximum number of times that a need is raised. Further kills have another reason. */
const growthsLimit = 4

/** Handles the end of a process that failed to start. */
export function afterFailedStart(state: State, model: Model, phase: PhaseWithProcess, failure: Failure): void {
  const { placement } = phase
  emit(state, { type: 'log', level: 'error', model: model.id, message: `could not be started: ${failure.reason}` })
  switch (failure.cause) {
    case 'oom':
      afterOutOfMemory(state, model, placement.key, failure.reason)
      break
    case 'bad-model':
      fail(state, model, 'model_unavailable', failure.reason, undefined)
      break
    case 'crash':
    case 'timeout':
      afterCrash(state, model, failure.reason)
      break
  }
}

/**
 * Handles the unexpected end of a process that served. `isExplained`: the process had only a suspect, which the next
 * process does not get.
 */
export function afterLostProcess(
  state: State,
  model: Model,
  phase: PhaseWithProcess,
  { cause, reason }: EventOf<'exited'>,
  isExplained: boolean,
): void {
  emit(state, { type: 'log', level: 'error', model: model.id, message: `its process ended: ${reason}` })
  if (cause === 'oom' && model.troubles.growths < growthsLimit) {
    model.troubles.growths += 1
    addNeed(model, phase.placement, growth(state, model, phase.placement))
  }
  // If there is room, the model is loaded before the next request comes.
  model.wish = phase.type === 'ready' ? 'where-free' : 'none'
  if (!isExplained) afterCrash(state, model, reason)
}

/** Returns the additional need, limited so that the model still fits an empty pool. */
function growth({ ledger }: State, model: Model, placement: Placement): MemoryBytes {
  const need = needOf(model, placement)
  const pools = poolsOf(placement.needBytes)
  const devices = pools.filter((pool) => pool !== 'host')
  const grown = (devices.length > 0 ? devices : pools).map((id): [PoolId, number] => {
    const pool = ledger.pools.get(id)
    const roomBytes = (pool && emptyRoomBytes(pool)) ?? Number.POSITIVE_INFINITY
    return [id, Math.max(0, Math.min(growthBytes, roomBytes - bytesOf(need, id)))]
  })
  return Object.fromEntries(grown)
}

/**
 * Retries the same placement once after a new reading of memory, then the next one. After the last one the model fails
 * for a while.
 */
function afterOutOfMemory(state: State, model: Model, key: string, reason: string): void {
  const { troubles } = model
  if (troubles.retried !== key) {
    troubles.retried = key
    troubles.notBeforeMs = state.nowMs + releaseAfterMs
    return
  }
  troubles.exhausted.add(key)
  const targets = targetsOf(model, state.ledger)
  if (targets === undefined || targets.length > 0) return
  // The next try begins with this placement.
  troubles.exhausted.delete(key)
  failForAWhile(state, model, 'insufficient_memory', reason)
}

function afterCrash(state: State, model: Model, reason: string): void {
  const { troubles } = model
  const recent = troubles.crashTimesMs.filter((atMs) => state.nowMs - atMs < crashWindowMs)
  troubles.crashTimesMs.splice(0, Number.POSITIVE_INFINITY, ...recent, state.nowMs)
  if (troubles.crashTimesMs.length < crashesToFail) {
    troubles.notBeforeMs = state.nowMs + (backOffMs[recent.length] ?? 0)
    return
  }
  troubles.crashTimesMs.length = 0
  failForAWhile(state, model, 'model_unavailable', reason)
}

export function failForAWhile(state: State, model: Model, code: RejectionCode, reason: string): void {
  const forMs = Math.min(failedMs * 2 ** model.troubles.failures, longestFailedMs)
  model.troubles.failures += 1
  fail(state, model, code, reason, state.nowMs + forMs)
}

/** Marks the model as failed. Without `untilMs` it stays so until its files change, or an operator loads it. */
export function fail(
  state: State,
  model: Model,
  code: RejectionCode,
  reason: string,
  untilMs: number | undefined,
): void {
  model.wish = 'none'
  model.troubles.failed = { code, reason, untilMs }
  const why = failedBefore(model, state.nowMs)
  if (why !== undefined) rejectWaiting(state, model, why)
}

/** Forgets expired failures, so that those models may be tried again. */
export function forgetOldFailures(state: State): void {
  for (const { troubles } of state.models.values()) {
    const { failed } = troubles
    if (failed?.untilMs !== undefined && failed.untilMs <= state.nowMs) troubles.failed = undefined
  }
}

/** Handles a successful start. */
export function afterStart({ troubles }: Model): void {
  troubles.retried = undefined
  troubles.failures = 0
}

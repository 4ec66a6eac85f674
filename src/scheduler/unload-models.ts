/** Unloading for other reasons than making room for another model. */
import { type Candidate, chooseVictims } from './choose-victims.ts'
import type { StopReason } from './effects.ts'
import { bytesOf } from './memory-bytes.ts'
import { isAwaited, isIdle, type Model } from './model.ts'
import { excessBytes } from './pool.ts'
import { asCandidate } from './room-plan.ts'
import { type State, stopProcess } from './state.ts'

/** Stops admitting requests, and stops the process after those that it has. Ends a start at once. */
export function drain(state: State, model: Model, why: StopReason): void {
  const { phase } = model
  if (phase.type === 'starting') stopProcess(state, model, { how: 'now', why })
  if (phase.type !== 'ready' && phase.type !== 'draining') return
  model.phase = { ...phase, type: 'draining', why, beneficiary: undefined }
}

/** Ends drains whose model has been loaded or is no longer awaited. */
export function endNeedlessDrains(state: State): void {
  for (const model of state.models.values()) {
    const { phase } = model
    if (phase.type !== 'draining' || phase.beneficiary === undefined) continue
    const next = state.models.get(phase.beneficiary)
    if (
      next !== undefined &&
      next.phase.type === 'absent' &&
      isAwaited(next) &&
      !next.troubles.failed &&
      !model.isPinned
    )
      continue
    const { holder, placement, revision, sinceMs } = phase
    model.phase = { type: 'ready', holder, placement, revision, sinceMs }
  }
}

export function stopDrained(state: State): void {
  for (const model of state.models.values()) {
    if (model.phase.type !== 'draining' || model.admitted.size > 0) continue
    stopProcess(state, model, { how: 'graceful', why: model.phase.why })
  }
}

/** Stops idle models that changed, or were unused for their keep-alive time. */
export function stopIdle(state: State): void {
  for (const model of state.models.values()) {
    if (!isIdle(model) || model.phase.type !== 'ready') continue
    const isAskedFor = model.queue.size > 0 || model.loads.length > 0
    if (model.phase.revision !== model.settings.revision) {
      stopProcess(state, model, { how: 'graceful', why: 'changed' })
    } else if (!isAskedFor && keptUntilMs(model) <= state.nowMs) {
      stopProcess(state, model, { how: 'graceful', why: 'keep-alive' })
    }
  }
}

/** Returns when the model is unloaded for being idle. Infinity if it is busy, or never unloaded for that. */
export function keptUntilMs(model: Model): number {
  const { phase, lastUsedMs } = model
  if (phase.type !== 'ready' || !isIdle(model)) return Number.POSITIVE_INFINITY
  return Math.max(lastUsedMs ?? 0, phase.sinceMs) + keepAliveMsOf(model)
}

/** Returns the same for a busy model as if it became idle now. Infinity without a process. */
export function unloadsAtMs(model: Model, nowMs: number): number {
  if (model.phase.type === 'absent' || model.phase.type === 'stopping') return Number.POSITIVE_INFINITY
  return isIdle(model) ? keptUntilMs(model) : nowMs + keepAliveMsOf(model)
}

function keepAliveMsOf({ settings, isPinned }: Model): number {
  return isPinned || settings.preload ? Number.POSITIVE_INFINITY : (settings.keepAliveMs ?? Number.POSITIVE_INFINITY)
}

/**
 * Unloads idle models if models hold more than there is, because other programs took more or processes grew. Busy ones
 * stay.
 */
export function relievePressure(state: State): void {
  const { ledger, models } = state
  for (const [id, pool] of ledger.pools) {
    for (;;) {
      const excess = excessBytes(pool, stayingBytes(state, id))
      if (excess === 0) break
      const idle = [...models.values()].filter((model) => isIdle(model) && !model.isPinned)
      const victim = cheapest(
        { [id]: excess },
        idle.map((model) => asCandidate(state, model)),
      )
      const model = victim === undefined ? undefined : models.get(victim)
      if (model === undefined) break
      stopProcess(state, model, { how: 'graceful', why: 'pressure' })
    }
  }
}

/** Returns the bytes held by processes that stay. */
function stayingBytes({ ledger }: State, pool: string): number {
  return ledger.holders
    .filter(({ state }) => state === 'starting' || state === 'serving')
    .reduce((bytes, { reserved }) => bytes + bytesOf(reserved, pool), 0)
}

function cheapest(excess: Readonly<Record<string, number>>, candidates: readonly Candidate[]): string | undefined {
  const enough = chooseVictims(excess, candidates)
  if (enough !== undefined) return enough[0]
  const holding = candidates.filter(({ reserved }) => Object.keys(excess).some((pool) => bytesOf(reserved, pool) > 0))
  return holding.sort((a, b) => a.cost - b.cost)[0]?.id
}

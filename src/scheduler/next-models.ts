/** Order in which absent models are loaded. */
import { rateAt } from './arrival-rate.ts'
import { isAwaited, type Model, oldestWaitMs } from './model.ts'
import type { State } from './state.ts'

/** Waiting time beyond its load time after which a model starves: it comes first, and busy ones make room for it. */
const starvingMs = 120_000

/**
 * Returns the models to load. Starving ones come first, the longest wait first; then awaited ones by the sum of waiting
 * times, so that one load serves many; then models that are only wished for. Per account, only as many requests count
 * as are served in parallel, so that a flood does not attract the memory.
 */
export function nextModels(state: State): readonly Model[] {
  const absent = [...state.models.values()].filter((model) => mayStart(state, model))
  const awaited = absent
    .filter(isAwaited)
    .map((model) => ({ model, rank: rankOf(model, state.nowMs) }))
    .sort((a, b) => b.rank.starvedMs - a.rank.starvedMs || b.rank.ageMs - a.rank.ageMs || compareIds(a.model, b.model))
    .map(({ model }) => model)
  const wished = absent
    .filter((model) => model.wish !== 'none' && !isAwaited(model))
    .map((model) => ({ model, rate: rateAt(model.arrivals, state.nowMs) }))
    .sort((a, b) => b.rate - a.rate || compareIds(a.model, b.model))
    .map(({ model }) => model)
  return [...awaited, ...wished]
}

function mayStart({ nowMs, isClosing }: State, { phase, estimate, troubles, isRemoved }: Model): boolean {
  if (isClosing || isRemoved || phase.type !== 'absent' || typeof estimate === 'string') return false
  return troubles.failed === undefined && troubles.notBeforeMs <= nowMs
}

interface Rank {
  /** Waiting time of a starving model. 0 for others. */
  readonly starvedMs: number
  /** Sum of its requests' waiting times. */
  readonly ageMs: number
}

export function rankOf(model: Model, nowMs: number): Rank {
  const pinMs = model.isPinned ? nowMs - model.pinnedSinceMs : 0
  const loadsMs = model.loads.reduce((total, { sinceMs }) => total + nowMs - sinceMs, 0)
  return {
    starvedMs: isStarving(model, nowMs) ? nowMs - oldestWaitMs(model) : 0,
    ageMs: model.queue.sumOfAgesMs(nowMs, model.settings.parallel) + loadsMs + pinMs,
  }
}

export function isStarving(model: Model, nowMs: number): boolean {
  return untilStarvingMs(model, nowMs) < 0
}

/** Returns the time until the model starves. Negative if it does. */
export function untilStarvingMs(model: Model, nowMs: number): number {
  return starvingMs + model.loadMs - (nowMs - Math.min(nowMs, oldestWaitMs(model)))
}

function compareIds(a: Model, b: Model): number {
  return a.id < b.id ? -1 : 1
}

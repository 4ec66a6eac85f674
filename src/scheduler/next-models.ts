/** Which models that are not loaded come first. */
import { rateAt } from './arrival-rate.ts'
import { isAwaited, type Model, oldestWaitMs } from './model.ts'
import type { State } from './state.ts'

/** A model starves whose requests wait this long beyond the time of its load: it comes first, and busy ones make room for it. */
const starvingMs = 120_000

/**
 * Those that are waited for: starving ones first, the longest wait first; then the largest sum of waiting times, which serves
 * many waiters at one load. One account counts with as many requests as are served side by side: its flood does not draw the
 * memory to its model. At the end those that are only wished for.
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
  const isKnown = typeof estimate !== 'string'
  return !isClosing && !isRemoved && phase.type === 'absent' && isKnown && isReady(troubles, nowMs)
}

function isReady({ failed, notBeforeMs }: Model['troubles'], nowMs: number): boolean {
  return failed === undefined && notBeforeMs <= nowMs
}

export interface Rank {
  /** How long it has waited if it is starving, 0 if not. */
  readonly starvedMs: number
  /** The sum of the times that its requests have waited. */
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

/** Negative for a model that starves. */
export function untilStarvingMs(model: Model, nowMs: number): number {
  return starvingMs + model.loadMs - (nowMs - Math.min(nowMs, oldestWaitMs(model)))
}

function compareIds(a: Model, b: Model): number {
  return a.id < b.id ? -1 : 1
}

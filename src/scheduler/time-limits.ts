/** Times at which a model's process has been in its phase for too long. Infinity means no limit. */
import { isIdle, type Model } from './model.ts'

/** Limit of a start without progress. */
export const startLimitMs = 60_000
/** Limit of a process that was asked to end. */
const stopGraceMs = 5_000
/** Limit of a process that was killed. */
const killLimitMs = 10_000

/** Returns the time at which a start or an end has taken too long. */
export function dueMs(phase: Model['phase']): number {
  if (phase.type === 'starting') return phase.progressAtMs + startLimitMs
  if (phase.type !== 'stopping' || phase.holder.isStuck) return Number.POSITIVE_INFINITY
  return phase.killedAtMs === undefined ? phase.sinceMs + stopGraceMs : phase.killedAtMs + killLimitMs
}

/** Returns the time at which the idle model is unloaded. Infinity if it is busy or never unloaded. */
export function keptUntilMs(model: Model): number {
  const { phase, lastUsedMs } = model
  if (phase.type !== 'ready' || !isIdle(model)) return Number.POSITIVE_INFINITY
  return Math.max(lastUsedMs ?? 0, phase.sinceMs) + keepAliveMsOf(model)
}

/** Returns the time at which the model is unloaded, for a busy model as if it became idle now. */
export function unloadsAtMs(model: Model, nowMs: number): number {
  if (model.phase.type === 'absent' || model.phase.type === 'stopping') return Number.POSITIVE_INFINITY
  return isIdle(model) ? keptUntilMs(model) : nowMs + keepAliveMsOf(model)
}

function keepAliveMsOf({ settings, isPinned }: Model): number {
  return isPinned || settings.preload ? Number.POSITIVE_INFINITY : (settings.keepAliveMs ?? Number.POSITIVE_INFINITY)
}

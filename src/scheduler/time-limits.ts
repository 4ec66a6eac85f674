/** Time limits of starts, stops, and kills. */
import type { Model } from './model.ts'
import { beginStopping, emit, type State } from './state.ts'

/** Limit of a start without progress. */
export const startLimitMs = 60_000
/** Limit of a process that was asked to end. */
export const stopGraceMs = 5_000
/** Limit of a process that was killed. */
export const killLimitMs = 10_000

export function enforceLimits(state: State): void {
  for (const model of state.models.values()) {
    if ((dueMs(model) ?? Number.POSITIVE_INFINITY) > state.nowMs) continue
    const { phase } = model
    if (phase.type === 'starting') {
      const reason = `no progress for ${startLimitMs / 1000} s`
      beginStopping(state, model, phase, state.nowMs, { cause: 'timeout', reason })
      emit(state, { type: 'stop', model: model.id, how: 'now', why: 'stuck' })
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

/** Returns the time limit of its present phase; undefined if it has none. */
export function dueMs({ phase }: Model): number | undefined {
  if (phase.type === 'starting') return phase.progressAtMs + startLimitMs
  if (phase.type !== 'stopping' || phase.holder.isStuck) return undefined
  return phase.killedAtMs === undefined ? phase.sinceMs + stopGraceMs : phase.killedAtMs + killLimitMs
}

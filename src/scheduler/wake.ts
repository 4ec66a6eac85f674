/** Times at which the scheduler acts without an event. */
import { releaseAfterMs } from './ledger.ts'
import { isWanted, type Model } from './model.ts'
import { nextReadingMs, readAgainMs } from './readings.ts'
import type { State } from './state.ts'
import { dueMs, keptUntilMs } from './time-limits.ts'

/** Interval at which requests that wait for memory or for other requests are reconsidered. */
const lookAgainMs = 1_000

/** Returns the next time to act. Infinity if there is none. */
export function nextWakeMs(state: State): number {
  let wakeMs = Number.POSITIVE_INFINITY
  for (const { waiter } of state.waiting.values()) wakeMs = Math.min(wakeMs, waiter.deadlineMs)
  for (const model of state.models.values()) wakeMs = Math.min(wakeMs, modelWakeMs(state, model))
  for (const { goneAtMs } of state.ledger.holders) {
    if (goneAtMs !== undefined) wakeMs = Math.min(wakeMs, goneAtMs + releaseAfterMs, state.nowMs + readAgainMs)
  }
  if (state.ledger.holders.length > 0) wakeMs = Math.min(wakeMs, nextReadingMs(state))
  return Math.max(wakeMs, state.nowMs)
}

function modelWakeMs({ nowMs }: State, model: Model): number {
  const { phase, estimate, troubles } = model
  const limitMs = Math.min(dueMs(phase), keptUntilMs(model))
  if (phase.type !== 'absent' || !isWanted(model) || typeof estimate === 'string') return limitMs
  if (troubles.failed !== undefined) return troubles.failed.untilMs ?? Number.POSITIVE_INFINITY
  return troubles.notBeforeMs > nowMs ? troubles.notBeforeMs : nowMs + lookAgainMs
}

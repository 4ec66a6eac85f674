/** Times at which the scheduler acts without an event. */
import type { SchedulerEvent } from './events.ts'
import { releaseAfterMs } from './ledger.ts'
import { isWanted, type Model } from './model.ts'
import { askForReading, readAgainMs, type State } from './state.ts'
import { dueMs } from './time-limits.ts'
import { keptUntilMs } from './unload-models.ts'

/** Interval at which requests that wait for memory or for others are reconsidered. */
const lookAgainMs = 1_000
/** Greatest age of a reading while models are loaded: other programs may take memory. */
const readEveryMs = 30_000

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
  const { failed, notBeforeMs } = model.troubles
  const due = Math.min(dueMs(model) ?? Number.POSITIVE_INFINITY, keptUntilMs(model))
  if (model.phase.type !== 'absent' || !isWanted(model) || typeof model.estimate === 'string') return due
  if (failed !== undefined) return failed.untilMs ?? Number.POSITIVE_INFINITY
  return Math.min(due, notBeforeMs > nowMs ? notBeforeMs : nowMs + lookAgainMs)
}

function nextReadingMs({ readingAskedMs, readMs }: State): number {
  return Math.max(readingAskedMs ?? Number.NEGATIVE_INFINITY, readMs) + readEveryMs
}

/** Requests a reading while memory is being returned, and regularly while models are loaded. */
export function readMemory(state: State): void {
  const { holders } = state.ledger
  const isReturning = holders.some(({ state: held }) => held === 'gone')
  if (isReturning || (holders.length > 0 && state.nowMs >= nextReadingMs(state))) askForReading(state)
}

/** Takes a reading. Drops a stale one; another is requested if needed. */
export function takeReading(state: State, pools: Extract<SchedulerEvent, { type: 'memory' }>['pools']): void {
  const { isReadingStale, ledger, nowMs } = state
  state.readingAskedMs = undefined
  state.isReadingStale = false
  if (isReadingStale) return
  state.readMs = nowMs
  ledger.read(pools, nowMs)
}

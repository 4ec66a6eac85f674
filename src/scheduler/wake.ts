/** When something is to be done although nothing happens. */
import type { SchedulerEvent } from './events.ts'
import { releaseAfterMs } from './ledger.ts'
import { isWanted, type Model } from './model.ts'
import { askForReading, readAgainMs, type State } from './state.ts'
import { dueMs } from './time-limits.ts'
import { keptUntilMs } from './unload-models.ts'

/** What waits for memory or for others is looked at this often. */
const lookAgainMs = 1_000
/** How old a reading may become while models are loaded: others may take memory. */
const readEveryMs = 30_000

/** Infinity where nothing is to be done. */
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

/** While memory is on its way back, and from time to time while models are loaded. */
export function readMemory(state: State): void {
  const { holders } = state.ledger
  const isReturning = holders.some(({ state: held }) => held === 'gone')
  if (isReturning || (holders.length > 0 && state.nowMs >= nextReadingMs(state))) askForReading(state)
}

/** One that is stale is dropped; whoever needs one asks again. */
export function takeReading(state: State, pools: Extract<SchedulerEvent, { type: 'memory' }>['pools']): void {
  const { isReadingStale, ledger, nowMs } = state
  state.readingAskedMs = undefined
  state.isReadingStale = false
  if (isReadingStale) return
  state.readMs = nowMs
  ledger.read(pools, nowMs)
}

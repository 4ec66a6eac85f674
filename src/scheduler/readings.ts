/** Readings of memory: when they are requested, and which ones count. */
import type { EventOf } from './events.ts'
import { emit, type State } from './state.ts'

/** Time after which a missing reading is requested again. */
const readingLimitMs = 2_000
/** Minimum time between readings. */
export const readAgainMs = 250
/** Maximum age of a reading while models are loaded, because other programs may take memory. */
const readEveryMs = 30_000

/** Requests a reading, unless one is outstanding or very recent. */
export function askForReading(state: State): void {
  const { readingAskedMs, readMs, nowMs } = state
  if (nowMs - readMs < readAgainMs) return
  if (readingAskedMs !== undefined && nowMs - readingAskedMs < readingLimitMs) return
  state.readingAskedMs = nowMs
  emit(state, { type: 'read-memory' })
}

/** Returns when the next reading is due while memory is held. */
export function nextReadingMs({ readingAskedMs, readMs }: State): number {
  return Math.max(readingAskedMs ?? Number.NEGATIVE_INFINITY, readMs) + readEveryMs
}

/** Takes a reading, but drops a stale one: another is requested if needed. */
export function takeReading(state: State, { pools }: EventOf<'memory'>): void {
  const { isReadingStale, ledger, nowMs } = state
  state.readingAskedMs = undefined
  state.isReadingStale = false
  if (isReadingStale) return
  state.readMs = nowMs
  ledger.read(pools, nowMs)
}

/** When a failed engine may be started again: a pure decision over the times of its recent failures. */

const windowMs = 60_000
const failuresToGiveUp = 3
/** Wait before restart number 1, 2, … */
const backOffMs = [0, 500, 2_000]

export type RestartDecision =
  | { readonly kind: 'restart'; readonly afterMs: number }
  /** Too many failures in a minute; `retryAfterMs` until the oldest of them leaves the window. */
  | { readonly kind: 'give-up'; readonly retryAfterMs: number }

/** The failures that later decisions need, oldest first. */
export function afterFailure(failureTimesMs: readonly number[], nowMs: number): readonly number[] {
  return [...failureTimesMs, nowMs].slice(-failuresToGiveUp)
}

/** `failureTimesMs`: when the engine crashed or failed to load, oldest first. */
export function decideRestart(failureTimesMs: readonly number[], nowMs: number): RestartDecision {
  const recent = failureTimesMs.filter((time) => nowMs - time < windowMs)
  if (recent.length >= failuresToGiveUp) {
    const first = recent[recent.length - failuresToGiveUp] ?? nowMs
    return { kind: 'give-up', retryAfterMs: first + windowMs - nowMs }
  }
  const wait = recent.length === 0 ? 0 : (backOffMs[recent.length - 1] ?? 0)
  const since = nowMs - (recent.at(-1) ?? nowMs)
  return { kind: 'restart', afterMs: Math.max(0, wait - since) }
}

import { minuteMs } from '../core/durations.ts'

/** Time within which amounts share an entry, milliseconds. Bounds a window to 600 entries of one minute. */
const sharedMs = 100

interface Entry {
  readonly beganMs: number
  /** Time from which the amount no longer counts. */
  endsMs: number
  amount: number
}

/**
 * Amounts of the last minute, which may not exceed a limit. An amount above the limit counts for as many minutes as it
 * has times the limit. Times come from the caller and never decrease.
 */
export class RateWindow {
  #entries: Entry[] = []

  /** Returns the amount that counts now. */
  used(nowMs: number): number {
    this.#entries = this.#entries.filter(({ endsMs }) => endsMs > nowMs)
    return this.#entries.reduce((sum, { amount }) => sum + amount, 0)
  }

  /** Returns the milliseconds until less than the limit counts; 0 if less counts now. */
  waitMs(nowMs: number, limit: number): number {
    let used = this.used(nowMs)
    for (const { endsMs, amount } of this.#byEnd()) {
      if (used < limit) return 0
      used -= amount
      if (used < limit) return endsMs - nowMs
    }
    return 0
  }

  /** Returns the milliseconds until nothing counts. */
  emptyInMs(nowMs: number): number {
    return this.used(nowMs) === 0 ? 0 : (this.#byEnd().at(-1)?.endsMs ?? nowMs) - nowMs
  }

  /** Counts an amount. Returns the function that takes it back. */
  add(nowMs: number, amount: number, limit: number): () => void {
    const last = this.#entries.at(-1)
    const entry =
      last !== undefined && nowMs - last.beganMs < sharedMs ? last : { beganMs: nowMs, endsMs: nowMs, amount: 0 }
    if (entry !== last) this.#entries.push(entry)
    entry.amount += amount
    entry.endsMs = nowMs + minuteMs * Math.max(1, entry.amount / limit)
    return () => {
      entry.amount -= amount
    }
  }

  #byEnd(): readonly Entry[] {
    return this.#entries.toSorted((a, b) => a.endsMs - b.endsMs)
  }
}

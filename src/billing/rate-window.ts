import { minuteMs } from '../core/durations.ts'

/** Time within which amounts share an entry, milliseconds. Bounds a window to 600 entries a minute. */
const sharedMs = 100

interface Entry {
  readonly beganMs: number
  /** Time from which the amount no longer counts. */
  endsMs: number
  amount: number
  isOver: boolean
}

/**
 * Amounts of the last minute, which may not exceed a limit. An amount above the limit counts for as many minutes as it
 * has times the limit. Times come from the caller and never decrease.
 */
export class RateWindow {
  #entries: Entry[] = []
  #sum = 0
  /** Time before which no entry ends. */
  #firstEndMs = Number.POSITIVE_INFINITY
  #lastEndMs = 0

  /** Returns the amount that counts now. */
  used(nowMs: number): number {
    if (nowMs >= this.#firstEndMs) this.#forget(nowMs)
    return this.#sum
  }

  /** Returns the milliseconds until less than the limit counts; 0 if less counts now. */
  waitMs(nowMs: number, limit: number): number {
    let used = this.used(nowMs)
    for (const { endsMs, amount } of this.#entries.toSorted((a, b) => a.endsMs - b.endsMs)) {
      if (used < limit) return 0
      used -= amount
      if (used < limit) return endsMs - nowMs
    }
    return 0
  }

  /** Returns the milliseconds until nothing counts. */
  emptyInMs(nowMs: number): number {
    return this.used(nowMs) === 0 ? 0 : this.#lastEndMs - nowMs
  }

  /** Counts an amount. Returns the function that takes it back. */
  add(nowMs: number, amount: number, limit: number): () => void {
    const entry = this.#entryAt(nowMs)
    entry.amount += amount
    entry.endsMs = nowMs + minuteMs * Math.max(1, entry.amount / limit)
    this.#sum += amount
    this.#firstEndMs = Math.min(this.#firstEndMs, entry.endsMs)
    this.#lastEndMs = Math.max(this.#lastEndMs, entry.endsMs)
    return () => {
      if (entry.isOver) return
      entry.amount -= amount
      this.#sum -= amount
    }
  }

  #entryAt(nowMs: number): Entry {
    const last = this.#entries.at(-1)
    if (last !== undefined && nowMs - last.beganMs < sharedMs) return last
    const entry = { beganMs: nowMs, endsMs: nowMs, amount: 0, isOver: false }
    this.#entries.push(entry)
    return entry
  }

  #forget(nowMs: number): void {
    const kept: Entry[] = []
    this.#firstEndMs = Number.POSITIVE_INFINITY
    for (const entry of this.#entries) {
      if (entry.endsMs > nowMs) {
        kept.push(entry)
        this.#firstEndMs = Math.min(this.#firstEndMs, entry.endsMs)
        continue
      }
      entry.isOver = true
      this.#sum -= entry.amount
    }
    this.#entries = kept
  }
}

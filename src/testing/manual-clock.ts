import type { Clock } from '../core/clock.ts'

/** A clock that only `pass` moves. Due callbacks run in order of their times. */
export class ManualClock implements Clock {
  #nowMs = 0
  readonly #due = new Set<{ readonly atMs: number; readonly callback: () => void }>()

  readonly nowMs = () => this.#nowMs

  readonly after = (ms: number, callback: () => void) => {
    const due = { atMs: this.#nowMs + ms, callback }
    this.#due.add(due)
    return () => {
      this.#due.delete(due)
    }
  }

  /** Number of callbacks that are not due yet. */
  get pending(): number {
    return this.#due.size
  }

  pass(ms: number): void {
    const endMs = this.#nowMs + ms
    for (;;) {
      const [next] = [...this.#due].filter(({ atMs }) => atMs <= endMs).sort((one, other) => one.atMs - other.atMs)
      if (next === undefined) break
      this.#due.delete(next)
      this.#nowMs = next.atMs
      next.callback()
    }
    this.#nowMs = endMs
  }
}

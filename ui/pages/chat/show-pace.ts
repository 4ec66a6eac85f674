/** Of the time that passes, showing a growing text may take this part. */
const share = 0.1
const minimumMs = 40
const maximumMs = 500

/** The time that the last showing of a text took, for the next interval. */
export const showCost = { lastMs: 0 }

/**
 * Shows what has changed now and then: the more often, the less it costs. A fast model, a long answer and a slow machine then
 * leave the browser the time to scroll.
 */
export class ShowPace {
  readonly #show: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #shownAtMs = 0

  constructor(show: () => void) {
    this.#show = show
  }

  changed(): void {
    if (this.#timer !== undefined) return
    const dueMs = this.#shownAtMs + pauseMs(showCost.lastMs)
    this.#timer = setTimeout(() => this.#showNow(), Math.max(0, dueMs - performance.now()))
  }

  /** Shows all that is there. */
  end(): void {
    clearTimeout(this.#timer)
    this.#showNow()
  }

  #showNow(): void {
    this.#timer = undefined
    this.#show()
    this.#shownAtMs = performance.now()
  }
}

/** How long to wait after a showing that took so long. */
export function pauseMs(costMs: number): number {
  return Math.min(maximumMs, Math.max(minimumMs, costMs / share))
}

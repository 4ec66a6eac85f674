/** Largest share of time spent on showing a growing text, 0 to 1. */
const share = 0.1
const minimumMs = 40
const maximumMs = 500

/** Time that the last update of a text took. It sets the next interval. */
export const showCost = { lastMs: 0 }

/**
 * Shows changes at intervals that grow with the cost of showing them. The browser keeps time to scroll during fast
 * models and long answers, and on slow machines.
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

  /** Shows the rest at once. */
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

/** Returns the pause after an update that took `costMs`. */
function pauseMs(costMs: number): number {
  return Math.min(maximumMs, Math.max(minimumMs, costMs / share))
}

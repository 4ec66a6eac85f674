import { pause } from './pause.ts'
import { WebError } from './web-error.ts'

const usualAttempts = 10
const longestPauseMs = 60_000

export interface PatienceOptions {
  /** Failures in a row after which the last one is thrown. 10 by default. */
  readonly attempts?: number | undefined
  /** Longest wait that a server may ask for; a longer one is a failure. Defaults to any wait. */
  readonly longestWishMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Called with the reason of each failure and the time until the next attempt. */
  readonly onTrouble?: ((error: WebError, pauseMs: number) => void) | undefined
  /** Returns the time to wait before attempt 2, 3, …; a longer wait that the server asks for is kept. */
  readonly pauseMs?: ((failures: number) => number) | undefined
}

/** Returns 1, 2, 4 … 60 seconds, up to half of it less, so that clients do not all come back at once. */
function backOffMs(failures: number, random: () => number = Math.random): number {
  return Math.min(1_000 * 2 ** (failures - 1), longestPauseMs) * (1 - random() / 2)
}

/** Retries until a number of failures in a row without any progress, over all connections of a file. */
export class Patience {
  readonly #options: PatienceOptions
  #progress = 0

  constructor(options: PatienceOptions = {}) {
    this.#options = options
  }

  /** Records progress, which clears every connection's failures. */
  noteProgress(): void {
    this.#progress++
  }

  /** Runs until it succeeds. Throws errors that are not `again`, the last failure in a row, and the signal's reason. */
  async persist<Result>(work: () => Promise<Result>): Promise<Result> {
    const { attempts = usualAttempts, longestWishMs = Number.POSITIVE_INFINITY } = this.#options
    let failures = 0
    let seen = this.#progress
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof WebError) || error.kind !== 'again') throw error
        failures = this.#progress === seen ? failures + 1 : 1
        seen = this.#progress
        if (failures >= attempts || (error.retryAfterMs ?? 0) > longestWishMs) throw error
        await this.#pause(error, failures)
      }
    }
  }

  async #pause(error: WebError, failures: number): Promise<void> {
    const { signal, onTrouble, pauseMs = backOffMs } = this.#options
    const durationMs = Math.max(pauseMs(failures), error.retryAfterMs ?? 0)
    onTrouble?.(error, durationMs)
    await pause(durationMs, signal)
  }
}

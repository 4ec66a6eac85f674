import { pause } from './pause.ts'

/** Limits the bytes per second over all files. */
export class RateLimit {
  readonly #bytesPerMs: number
  /** Time at which the bytes taken so far are within the limit. */
  #freeAtMs = 0

  /** Undefined `bytesPerSecond` means no limit. */
  constructor(bytesPerSecond: number | undefined) {
    this.#bytesPerMs = (bytesPerSecond ?? Number.POSITIVE_INFINITY) / 1_000
  }

  /**
   * Waits until bytes just received are within the limit; the caller then asks for the next ones. Throws the signal's
   * reason.
   */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    const nowMs = performance.now()
    this.#freeAtMs = Math.max(this.#freeAtMs, nowMs) + bytes / this.#bytesPerMs
    const pauseMs = this.#freeAtMs - nowMs
    if (pauseMs >= 1) await pause(pauseMs, signal)
  }
}

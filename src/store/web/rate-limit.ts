import { pause } from './pause.ts'

/** Holds bytes back so that no more than a number a second are taken, over all files. */
export class RateLimit {
  readonly #bytesPerMs: number
  /** Time at which everything taken is paid off. */
  #freeAtMs = 0

  /** Undefined `bytesPerSecond` means no limit. */
  constructor(bytesPerSecond: number | undefined) {
    this.#bytesPerMs = (bytesPerSecond ?? Number.POSITIVE_INFINITY) / 1_000
  }

  /** Resolves when these bytes, already received, have had their time: the next ones are not asked for before. Throws the signal's reason. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    const nowMs = performance.now()
    this.#freeAtMs = Math.max(this.#freeAtMs, nowMs) + bytes / this.#bytesPerMs
    const pauseMs = this.#freeAtMs - nowMs
    if (pauseMs >= 1) await pause(pauseMs, signal)
  }
}

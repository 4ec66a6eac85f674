/**
 * Clock for waiting times and limits that counts only time in which the server ran. The source clock may go back, and
 * jumps if the machine slept: then a requested tick comes far too late.
 */

/** Delay of a tick that proves that the server did not run. A jump counts as this much time. */
const lateMs = 10_000

export class SteadyClock {
  nowMs: number
  /** Lead of the arm's clock. A whole number keeps times exact. */
  #aheadMs = 0

  constructor(armMs: number) {
    this.nowMs = armMs
  }

  /** Advances the clock. `tickMs` is the time of the next tick by this clock, Infinity for none. */
  advance(armMs: number, tickMs: number): void {
    const nowMs = armMs - this.#aheadMs
    // The passed time is unknown, so earlier readings are old.
    if (nowMs < this.nowMs) this.#aheadMs = Math.floor(armMs - this.nowMs - lateMs)
    const latestMs = Math.max(tickMs, this.nowMs) + lateMs
    if (nowMs > latestMs) this.#aheadMs += Math.floor(nowMs - latestMs)
    this.nowMs = armMs - this.#aheadMs
  }

  /**
   * Converts a time to the arm's clock, rounded up: a tick that comes too early by rounding would repeat again and
   * again.
   */
  toArmMs(ms: number): number {
    return this.#aheadMs === 0 ? ms : Math.floor(ms + this.#aheadMs) + 1
  }
}

/**
 * A clock for waiting times and limits that counts only time in which the server ran. The arm's clock may go back, and jumps
 * where the machine slept: then a tick that was asked for comes far too late.
 */

/** A tick that is later than this means that the server did not run. A jump counts as this much time. */
const lateMs = 10_000

export class SteadyClock {
  nowMs: number
  /** By how much the arm's clock is ahead. A whole number: times stay exact. */
  #aheadMs = 0

  constructor(armMs: number) {
    this.nowMs = armMs
  }

  /** `tickMs`: when a tick is due by this clock, Infinity for never. */
  advance(armMs: number, tickMs: number): void {
    const nowMs = armMs - this.#aheadMs
    // How much time has passed nobody knows: what was read before is old.
    if (nowMs < this.nowMs) this.#aheadMs = Math.floor(armMs - this.nowMs - lateMs)
    const latestMs = Math.max(tickMs, this.nowMs) + lateMs
    if (nowMs > latestMs) this.#aheadMs += Math.floor(nowMs - latestMs)
    this.nowMs = armMs - this.#aheadMs
  }

  /** The arm's time of a time of this clock, or a little later: a tick that is early by a rounding would come again and again. */
  toArmMs(ms: number): number {
    return this.#aheadMs === 0 ? ms : Math.floor(ms + this.#aheadMs) + 1
  }
}

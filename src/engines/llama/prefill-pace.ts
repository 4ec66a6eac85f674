/** How many prompt tokens fit into a step that others wait for. */

/** Gap between two tokens of a running answer that one prompt beside one answer may cause. */
const stallMs = 200
/** Below this a batch is mostly overhead. */
const minimumTokens = 32
/** Weight of the newest measurement. */
const smoothing = 0.3

/**
 * Learns the speed of prompt processing from the steps themselves, so that the same rule fits a laptop (tens of tokens
 * a step) and a GPU (whole batches).
 */
export class PrefillPace {
  readonly #batchTokens: number
  #msPerToken = 0

  constructor(batchTokens: number) {
    this.#batchTokens = batchTokens
  }

  /**
   * Prompt tokens for the next step, beside `generating` answers, for `waiting` prompts. Those who read and those who
   * wait for their first token weigh the same: the more wait for each that reads, the longer a step may take. With
   * nobody reading, speed is all that counts.
   */
  budget(generating: number, waiting: number): number {
    const room = Math.max(0, this.#batchTokens - generating)
    if (generating === 0 || this.#msPerToken === 0) return room
    const allowedMs = stallMs * Math.max(1, waiting / generating)
    return Math.min(room, Math.max(minimumTokens, Math.floor(allowedMs / this.#msPerToken)))
  }

  /** Notes a finished step of `tokens` tokens in all. Steps of few tokens say nothing about prompts. */
  observe(tokens: number, elapsedMs: number): void {
    if (tokens < minimumTokens) return
    const measured = elapsedMs / tokens
    this.#msPerToken = this.#msPerToken === 0 ? measured : this.#msPerToken + smoothing * (measured - this.#msPerToken)
  }
}

/** How many prompt tokens a step may take while answers wait for it. */

/** Gap between two tokens that a prompt may cause beside many running answers. */
const stallMs = 200
/** A prompt that waits for its first token counts as much as so many answers that are being generated. */
const waitingWeight = 4
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
   * Prompt tokens for the next step, beside `generating` answers, for `waiting` prompts. The more prompts wait for each
   * answer, the longer a step may take: small steps with few answers waste the machine, and all requests take longer.
   * Without an answer in progress the step may be as long as the batch.
   */
  budget(generating: number, waiting: number): number {
    const room = Math.max(0, this.#batchTokens - generating)
    if (generating === 0 || this.#msPerToken === 0) return room
    const allowedMs = stallMs * Math.max(1, (waitingWeight * waiting) / generating)
    return Math.min(room, Math.max(minimumTokens, Math.floor(allowedMs / this.#msPerToken)))
  }

  /** Notes a finished step of `tokens` tokens in all. Steps of few tokens do not show the speed of prompts. */
  observe(tokens: number, elapsedMs: number): void {
    if (tokens < minimumTokens) return
    const measured = elapsedMs / tokens
    this.#msPerToken = this.#msPerToken === 0 ? measured : this.#msPerToken + smoothing * (measured - this.#msPerToken)
  }
}

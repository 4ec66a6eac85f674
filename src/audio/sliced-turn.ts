import type { Turns } from '../core/turns.ts'

/** Successive turns of one piece of work, each at most a slice long. */
export class SlicedTurn implements Disposable {
  readonly #accountId: string
  readonly #sliceMs: number
  #turn: Disposable | undefined
  #timer: Timer | undefined
  #isFirst = true

  constructor(accountId: string, sliceMs: number) {
    this.#accountId = accountId
    this.#sliceMs = sliceMs
  }

  /** Resolves once the work has a turn: at once if the last one is not over. Throws the signal's reason. */
  async begin(turns: Turns, expectedMs: number, signal: AbortSignal): Promise<void> {
    if (this.#turn !== undefined) return
    const costMs = this.#isFirst ? Math.min(expectedMs, this.#sliceMs) : this.#sliceMs
    this.#isFirst = false
    this.#turn = await turns.take(this.#accountId, costMs, signal)
    this.#timer = setTimeout(() => this[Symbol.dispose](), this.#sliceMs)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#turn?.[Symbol.dispose]()
    this.#turn = undefined
  }
}

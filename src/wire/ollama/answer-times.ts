import type { WorkEvent } from '../../core/work.ts'
import type { AnswerContext } from '../dialect.ts'

/** Times of a request in nanoseconds: before computing, up to the first output, and after it. */
export class AnswerTimes {
  readonly #elapsedMs: () => number
  #startMs: number | undefined
  #outputMs: number | undefined

  constructor({ elapsedMs }: Pick<AnswerContext, 'elapsedMs'>) {
    this.#elapsedMs = elapsedMs
  }

  /** Records an event's time. Call it with every event on arrival. */
  saw({ type }: WorkEvent): void {
    if (type === 'start') this.#startMs ??= this.#elapsedMs()
    else if (type !== 'finish') this.#outputMs ??= this.#elapsedMs()
  }

  /** Returns the times up to now. The parts never exceed the total. */
  nanoseconds() {
    const total = this.#elapsedMs()
    const load = this.#startMs ?? total
    const output = this.#outputMs ?? total
    return {
      total: toNanoseconds(total),
      load: toNanoseconds(load),
      promptEval: toNanoseconds(output - load),
      // Clients divide by this time, so it is never 0.
      eval: Math.max(1, toNanoseconds(total - output)),
    }
  }
}

function toNanoseconds(ms: number): number {
  return Math.max(0, Math.floor(ms * 1e6))
}

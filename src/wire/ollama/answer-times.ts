import type { WorkEvent } from '../../core/work.ts'
import type { AnswerContext } from '../dialect.ts'

/** Where the time of a request went, in nanoseconds: before computing began, up to the first output, and after that. */
export class AnswerTimes {
  readonly #elapsedMs: () => number
  #startMs: number | undefined
  #outputMs: number | undefined

  constructor({ elapsedMs }: Pick<AnswerContext, 'elapsedMs'>) {
    this.#elapsedMs = elapsedMs
  }

  /** To be told every event as it comes. */
  saw({ type }: WorkEvent): void {
    if (type === 'start') this.#startMs ??= this.#elapsedMs()
    else if (type !== 'finish') this.#outputMs ??= this.#elapsedMs()
  }

  /** Up to now. The parts are never longer than the whole. */
  nanoseconds() {
    const total = this.#elapsedMs()
    const load = this.#startMs ?? total
    const output = this.#outputMs ?? total
    return {
      total: toNanoseconds(total),
      load: toNanoseconds(load),
      promptEval: toNanoseconds(output - load),
      // Clients divide by it.
      eval: Math.max(1, toNanoseconds(total - output)),
    }
  }
}

function toNanoseconds(ms: number): number {
  return Math.max(0, Math.floor(ms * 1e6))
}

import { WeightedFairQueue } from '../core/weighted-fair-queue.ts'

/** Lets a few decode at a time. Those that wait are served by account, by how long their recordings are. */
export class DecodeTurns {
  readonly #waiting = new WeightedFairQueue<() => void>()
  #free: number

  constructor(limit: number) {
    this.#free = limit
  }

  /** Resolves when it is this one's turn, which ends when what it returns is disposed of. Throws the signal's reason. */
  async take(accountId: string, seconds: number, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#wait(accountId, seconds, signal)
    return { [Symbol.dispose]: () => this.#next() }
  }

  async #wait(accountId: string, seconds: number, signal: AbortSignal): Promise<void> {
    const turn = Promise.withResolvers<void>()
    const leave = this.#waiting.add(accountId, Math.max(1, seconds), turn.resolve)
    const abort = () => {
      leave()
      turn.reject(signal.reason)
    }
    signal.addEventListener('abort', abort)
    try {
      await turn.promise
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  #next(): void {
    const begin = this.#waiting.take()
    if (begin === undefined) this.#free++
    else begin()
  }
}

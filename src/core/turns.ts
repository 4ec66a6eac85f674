import { WeightedFairQueue } from './weighted-fair-queue.ts'

export interface TurnLimits {
  /** Jobs that may run at once. */
  readonly all: number
  /** Jobs of one account that may run at once. Defaults to `all`. */
  readonly ofAccount?: number
}

interface Waiting {
  readonly accountId: string
  readonly begin: () => void
}

/** Limits how many jobs run at once. Waiting jobs take turns by account, weighted by cost. */
export class Turns {
  readonly #limits: TurnLimits
  readonly #waiting = new WeightedFairQueue<Waiting>()
  /** Running jobs per account. Accounts without any have no entry. */
  readonly #running = new Map<string, number>()
  #free: number

  constructor(limits: TurnLimits) {
    this.#limits = limits
    this.#free = limits.all
  }

  /**
   * Resolves when the job may begin. Its turn ends when the result is disposed of. `cost` may be in any unit, the same
   * for all jobs. Throws the signal's reason.
   */
  async take(accountId: string, cost: number, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    const turn = Promise.withResolvers<void>()
    const leave = this.#waiting.add(accountId, Math.max(1, cost), { accountId, begin: turn.resolve })
    this.#beginNext()
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
    return { [Symbol.dispose]: () => this.#end(accountId) }
  }

  /** Works that wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Begins a turn at once, without waiting; undefined if none is free for the account. */
  takeFree(accountId: string): Disposable | undefined {
    const { ofAccount = this.#limits.all } = this.#limits
    if (this.#free === 0 || (this.#running.get(accountId) ?? 0) >= ofAccount) return undefined
    this.#begin(accountId)
    return { [Symbol.dispose]: () => this.#end(accountId) }
  }

  #begin(accountId: string): void {
    this.#free--
    this.#running.set(accountId, (this.#running.get(accountId) ?? 0) + 1)
  }

  #beginNext(): void {
    const { ofAccount = this.#limits.all } = this.#limits
    while (this.#free > 0) {
      const next = this.#waiting.take(({ accountId }) => (this.#running.get(accountId) ?? 0) < ofAccount)
      if (next === undefined) return
      this.#begin(next.accountId)
      next.begin()
    }
  }

  #end(accountId: string): void {
    const left = (this.#running.get(accountId) ?? 0) - 1
    if (left > 0) this.#running.set(accountId, left)
    else this.#running.delete(accountId)
    this.#free++
    this.#beginNext()
  }
}

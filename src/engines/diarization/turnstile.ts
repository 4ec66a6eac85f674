/** Lets a limited number of tasks run at a time, in the order in which they come. */
export class Turnstile {
  #limit: number
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  get limit(): number {
    return this.#limit
  }

  /** Sets the limit. Running tasks are not stopped. */
  set limit(limit: number) {
    this.#limit = limit
    this.#admit()
  }

  async pass<Result>(task: () => Promise<Result>): Promise<Result> {
    const turn = Promise.withResolvers<void>()
    this.#waiting.push(turn.resolve)
    this.#admit()
    await turn.promise
    try {
      return await task()
    } finally {
      this.#running--
      this.#admit()
    }
  }

  #admit(): void {
    while (this.#running < this.#limit) {
      const admit = this.#waiting.shift()
      if (admit === undefined) return
      this.#running++
      admit()
    }
  }
}

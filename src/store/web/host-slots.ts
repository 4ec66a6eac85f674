/** Limit of connections per host over all files. */
export class HostSlots {
  readonly #limit: number
  readonly #used = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Does `work` while it holds one of the host's slots. */
  async use<Result>(host: string, work: () => Promise<Result>): Promise<Result> {
    const used = this.#used.get(host) ?? 0
    if (used < this.#limit) this.#used.set(host, used + 1)
    else await this.#turn(host)
    try {
      return await work()
    } finally {
      const next = this.#waiting.get(host)?.shift()
      // The slot goes to the next caller that waits; without one it becomes free.
      if (next !== undefined) next()
      else this.#used.set(host, (this.#used.get(host) ?? 1) - 1)
    }
  }

  #turn(host: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(host) ?? []
      waiting.push(resolve)
      this.#waiting.set(host, waiting)
    })
  }
}

/** Counts the requests that run, so that a shutdown can wait for them. */
export class OpenRequests {
  #count = 0
  #whenNone: (() => void)[] = []

  begin(): void {
    this.#count++
  }

  /** To be called once for each `begin`. */
  end(): void {
    if (this.#count === 0) throw new Error('a request ended that never began: this is a bug')
    this.#count--
    if (this.#count > 0) return
    const waiting = this.#whenNone
    this.#whenNone = []
    for (const resolve of waiting) resolve()
  }

  /** Resolves when none is left. */
  drained(): Promise<void> {
    if (this.#count === 0) return Promise.resolve()
    return new Promise((resolve) => this.#whenNone.push(resolve))
  }
}

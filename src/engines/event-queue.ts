/**
 * Hands values from a producer that never waits (IPC messages) to one consumer that does. `fail` is delivered after
 * the values pushed before it.
 */
export class EventQueue<Value> {
  #values: Value[] = []
  #ended = false
  #error: unknown
  #wake: (() => void) | undefined

  push(value: Value): void {
    this.#values.push(value)
    this.#notify()
  }

  end(): void {
    this.#ended = true
    this.#notify()
  }

  /** Without effect where the end has come already. */
  fail(error: unknown): void {
    if (this.#ended) return
    this.#error = error
    this.end()
  }

  /** Yields until `end`; throws what `fail` was given. */
  async *drain(): AsyncGenerator<Value, void, undefined> {
    while (true) {
      const values = this.#values
      this.#values = []
      yield* values
      if (this.#values.length > 0) continue
      if (this.#ended) {
        if (this.#error !== undefined) throw this.#error
        return
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #notify(): void {
    this.#wake?.()
    this.#wake = undefined
  }
}

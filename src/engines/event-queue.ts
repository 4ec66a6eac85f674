/** Hands values from a producer that never waits (IPC messages) to one consumer that does. */
export class EventQueue<Value> {
  #values: Value[] = []
  #hasEnded = false
  #error: unknown
  #wake: (() => void) | undefined

  push(value: Value): void {
    this.#values.push(value)
    this.#wake?.()
  }

  end(): void {
    this.#hasEnded = true
    this.#wake?.()
  }

  /** Ends it; the consumer gets the values that were pushed before, then the error. No effect after the end. */
  fail(error: unknown): void {
    if (this.#hasEnded) return
    this.#error = error
    this.end()
  }

  /** All values that were pushed since the last call; waits for the first. None after the end. Throws what `fail` was given. */
  async take(): Promise<readonly Value[]> {
    if (this.#values.length === 0 && !this.#hasEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
    const values = this.#values
    this.#values = []
    if (values.length === 0 && this.#error !== undefined) throw this.#error
    return values
  }
}

import { setImmediate } from 'node:timers/promises'

/** Milliseconds of work between two pauses, less than a step of the loop. */
const turnMs = 4

/** Lets the step loop continue during work that takes long. */
export class Pauses {
  readonly #signal: AbortSignal | undefined
  #turnEndsMs = performance.now() + turnMs

  constructor(signal?: AbortSignal) {
    this.#signal = signal
  }

  /** Lets other work have its turn if this work has had its own; throws when aborted. Awaited often. */
  async take(): Promise<void> {
    if (performance.now() < this.#turnEndsMs) return
    await setImmediate()
    this.#signal?.throwIfAborted()
    this.#turnEndsMs = performance.now() + turnMs
  }
}

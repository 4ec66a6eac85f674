/**
 * Crashes of a model's engines on a GPU without an error message of a library or the driver: the GPU may be at fault,
 * or a request. After one crash in a load, or two loads in a row that served no request, the model moves to the CPU.
 * If it crashes there too, the GPU was not at fault: the model moves back for good.
 */

/** End of an engine. */
export interface CrashFacts {
  /**
   * True if native code ended the engine or it hung, and no part of a request, operator or lack of memory caused that.
   */
  readonly isCrash: boolean
  /** True if its last lines name a reason. */
  readonly hasWords: boolean
  readonly wasOnGpu: boolean
  /** True if it ended before it had loaded the model. */
  readonly wasLoading: boolean
  /** True if it served a request to its end. */
  readonly hasServed: boolean
}

export class SilentCrashes {
  #inARow = 0
  #keepsOffGpu = false
  #moves = 0
  #isAcquitted = false

  /** True if the model must be loaded on the CPU. */
  get keepsOffGpu(): boolean {
    return this.#keepsOffGpu
  }

  /** Number of moves to the CPU. */
  get moves(): number {
    return this.#moves
  }

  /** Records the end of an engine. Returns the decision; undefined if nothing changes. */
  note(end: CrashFacts): 'to-cpu' | 'back-to-gpu' | undefined {
    if (!end.isCrash || end.hasServed) {
      this.#inARow = 0
      return undefined
    }
    if (this.#keepsOffGpu) {
      this.forget()
      // Prevents a model that crashes everywhere from moving back and forth for ever.
      this.#isAcquitted = true
      return 'back-to-gpu'
    }
    if (end.hasWords || !end.wasOnGpu || this.#isAcquitted) return undefined
    this.#inARow += end.wasLoading ? crashesAllowed : 1
    if (this.#inARow < crashesAllowed) return undefined
    this.#keepsOffGpu = true
    this.#moves++
    return 'to-cpu'
  }

  /** Starts over, as after a probe or with other files. */
  forget(): void {
    this.#inARow = 0
    this.#isAcquitted = false
    this.#keepsOffGpu = false
  }
}

/** Crashes in a row after which the model is moved. */
const crashesAllowed = 2

/**
 * Crashes of a model's engines on a GPU without a word of a library or the driver: they may be the GPU's fault, or a request's. After one in
 * a load, or two in a row of loads that served no request, the model is loaded on the CPU. If it crashes there too, the GPU was not to
 * blame: the model goes back and stays.
 */

/** End of an engine. */
export interface CrashFacts {
  /** Native code ended it, or it hung; no part of a request, operator or want of memory did. */
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

  /** The model is to be loaded on the CPU. */
  get keepsOffGpu(): boolean {
    return this.#keepsOffGpu
  }

  /** Times that the model was moved to the CPU. */
  get moves(): number {
    return this.#moves
  }

  /** Takes the end of an engine. Returns the decision; undefined if nothing changes. */
  note(end: CrashFacts): 'to-cpu' | 'back-to-gpu' | undefined {
    if (!end.isCrash || end.hasServed) {
      this.#inARow = 0
      return undefined
    }
    if (this.#keepsOffGpu) {
      this.forget()
      // Otherwise a file that crashes everywhere would be loaded here and there for ever.
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

  /** Begins anew, as after a probe, or with other files. */
  forget(): void {
    this.#inARow = 0
    this.#isAcquitted = false
    this.#keepsOffGpu = false
  }
}

/** Crashes in a row after which the model is moved. */
const crashesAllowed = 2

/**
 * Parts of requests, by key, over which a model's engine died. A file can make native code crash or hang, and clients
 * send it again. Several parts are decoded and encoded at the same time, so after a first death each of them is a
 * suspect, and runs alone from then on. A part that kills a second engine is never computed again.
 */

const enoughDeaths = 2

/** Number of parts remembered; the oldest are forgotten first. */
const limit = 1000

export class DeadlyParts {
  readonly #deaths = new Map<string, number>()

  /** Records the parts that an engine was decoding or encoding when it ended unasked. */
  note(keys: readonly string[]): void {
    for (const key of keys) {
      const deaths = (this.#deaths.get(key) ?? 0) + 1
      this.#deaths.delete(key)
      this.#deaths.set(key, deaths)
    }
    for (const key of [...this.#deaths.keys()].slice(0, -limit)) this.#deaths.delete(key)
  }

  /** Acquits parts that the engine has encoded without a crash. */
  acquit(keys: readonly string[]): void {
    for (const key of keys) this.#deaths.delete(key)
  }

  /** Returns the keys of parts over which an engine has died. */
  suspects(): readonly string[] {
    return [...this.#deaths.keys()]
  }

  /** Returns the keys of parts that no engine computes any more. */
  list(): readonly string[] {
    return [...this.#deaths].filter(([, deaths]) => deaths >= enoughDeaths).map(([key]) => key)
  }
}

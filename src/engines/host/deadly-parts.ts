/**
 * Parts of requests that a model's engine died over, by their keys. A file can make native code crash or hang, and its client sends it
 * again: the second time it is that part, and no engine computes it a third time. Parts are decoded and encoded at a time, so that the
 * first time it may have been another one: from then on each of them is decoded and encoded alone.
 */

const enoughDeaths = 2

/** Number of parts remembered; the oldest are forgotten first. */
const limit = 1000

export class DeadlyParts {
  readonly #deaths = new Map<string, number>()

  /** Records parts that the engine was decoding or encoding when it ended without being asked to. */
  note(keys: readonly string[]): void {
    for (const key of keys) {
      const deaths = (this.#deaths.get(key) ?? 0) + 1
      this.#deaths.delete(key)
      this.#deaths.set(key, deaths)
    }
    for (const key of [...this.#deaths.keys()].slice(0, -limit)) this.#deaths.delete(key)
  }

  /** Acquits parts that the engine has encoded without a crash: its end had another cause. */
  acquit(keys: readonly string[]): void {
    for (const key of keys) this.#deaths.delete(key)
  }

  /** Keys of those that an engine has died over. */
  suspects(): readonly string[] {
    return [...this.#deaths.keys()]
  }

  /** Keys of those that no engine computes any more. */
  list(): readonly string[] {
    return [...this.#deaths].filter(([, deaths]) => deaths >= enoughDeaths).map(([key]) => key)
  }
}

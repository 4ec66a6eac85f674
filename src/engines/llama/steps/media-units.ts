/** Hashes that are remembered; those asked for least recently are forgotten first. */
const rememberedHashes = 10_000

/**
 * What cached prompts are compared by: one integer, called a unit, for each place in the KV cache. The unit of a token is
 * its id. Each place of a picture or recording has the same negative unit, which stands for the hash of its bytes. So
 * comparing prompts is comparing integers, with media as without.
 *
 * A unit is never given to another hash. A hash that was forgotten gets a new unit: its medium is computed again.
 */
export class MediaUnits {
  /** Asked for least recently first. */
  readonly #units = new Map<string, number>()
  #last = 0

  unitOf(hash: string): number {
    const unit = this.#units.get(hash) ?? --this.#last
    this.#units.delete(hash)
    this.#units.set(hash, unit)
    if (this.#units.size > rememberedHashes) {
      const [oldest] = this.#units.keys()
      if (oldest !== undefined) this.#units.delete(oldest)
    }
    return unit
  }
}

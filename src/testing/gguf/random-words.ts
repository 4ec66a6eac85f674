/** Xorshift generator of 32 bit words: fast, and the same seed gives the same words everywhere. Not for secrets. */
export class RandomWords {
  #state: number

  constructor(seed: number) {
    // Multiplication spreads small seeds over all bits; the state must not be 0.
    this.#state = Math.imul(seed + 1, 0x9e3779b1) || 1
    this.fill(new Uint32Array(16), 0)
  }

  /** Fills `words` with random bits and sets the bits of `mask` in each. */
  fill(words: Uint32Array, mask: number): void {
    let state = this.#state
    for (let index = 0; index < words.length; index++) {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      words[index] = state | mask
    }
    this.#state = state
  }

  /** Returns a whole number from 0 to limit - 1. */
  below(limit: number): number {
    const word = new Uint32Array(1)
    this.fill(word, 0)
    return (word[0] ?? 0) % limit
  }
}

/**
 * Guesses the continuation of one text from itself: if its last three units occurred before, the units after them may
 * follow again. Texts that copy (edited code, quotes, answers in a fixed form) are guessed well, prose is not. The
 * accuracy is learned from each unit, whether the guess was used or not. Other texts have no influence.
 */

export interface Proposal {
  readonly tokens: readonly number[]
  /** `chances[i]` is the probability that the first i + 1 tokens are all right. Descending. */
  readonly chances: readonly number[]
}

export const nothingProposed: Proposal = { tokens: [], chances: [] }

/** Units in a row that are looked up. */
const gramUnits = 3
/** Most grams in the table: 1 MiB. In longer texts newer ones displace older ones. */
const mostPlaces = 1 << 18
/** Longest agreement that is distinguished. */
const longestAgreement = 17
/** Least chance of a proposed token. */
const leastChance = 0.05
/** Highest chance: nothing is certain. */
const mostChance = 0.99
/** Share of earlier observations kept per unit. */
const memory = 0.95

/** Prior chances by the least number of agreeing units before the guess. */
const usualChances = [
  { agreement: 3, chance: 0.3 },
  { agreement: 5, chance: 0.5 },
  { agreement: 9, chance: 0.7 },
  { agreement: longestAgreement, chance: 0.9 },
] as const
/** Weight of the prior chances, in units. */
const usualWeight = 4

export class NgramDrafts {
  readonly #units: readonly number[]
  /** Last place after each gram, by the gram's hash. 0 means none. */
  #places = new Int32Array(0)
  /** Number of seen units. */
  #seen = 0
  /** Index of the unit that may come next. 0 means no guess. */
  #guess = 0
  /** Number of units before the guess that equal the last ones of the text. */
  #agreement = 0
  readonly #records = usualChances.map(({ chance }) => ({
    hits: chance * usualWeight,
    misses: (1 - chance) * usualWeight,
  }))

  /** `units` only grow. The present ones are not learned from: somebody else may have written them. */
  constructor(units: readonly number[]) {
    this.#units = units
    this.#follow(false)
  }

  /** Proposes at most `most` next tokens. */
  propose(most: number): Proposal {
    this.#follow(true)
    const tokens: number[] = []
    const chances: number[] = []
    let chance = 1
    while (this.#guess > 0 && tokens.length < most) {
      // A text that repeats a piece is guessed to repeat it again.
      const place = this.#guess + tokens.length
      const token = this.#units[place] ?? tokens[place - this.#units.length] ?? -1
      chance *= this.#chanceOf(this.#agreement + tokens.length)
      if (token < 0 || chance < leastChance) break
      tokens.push(token)
      chances.push(chance)
    }
    return { tokens, chances }
  }

  #follow(learns: boolean): void {
    const { length } = this.#units
    if (length > (this.#places.length * 3) / 4 && this.#places.length < mostPlaces) this.#grow(length)
    for (; this.#seen < length; this.#seen++) this.#see(this.#seen, learns)
  }

  /** Takes the unit at a place. */
  #see(place: number, learns: boolean): void {
    if (this.#guess > 0) {
      const isHit = this.#units[this.#guess] === this.#units[place]
      if (learns) this.#learn(isHit)
      this.#guess = isHit ? this.#guess + 1 : 0
      this.#agreement = isHit ? this.#agreement + 1 : 0
    }
    const before = this.#remember(place + 1)
    if (this.#guess > 0 || before === 0) return
    this.#agreement = this.#agreementOf(before, place + 1)
    if (this.#agreement >= gramUnits) this.#guess = before
  }

  /** Stores the gram that ends at `end`. Returns the earlier place of the same hash, or 0. */
  #remember(end: number): number {
    if (end < gramUnits) return 0
    const hash = this.#hashOf(end)
    if (hash === undefined) return 0
    const before = this.#places[hash] ?? 0
    this.#places[hash] = end
    return before
  }

  /** Returns the gram's hash; undefined if it contains a picture. */
  #hashOf(end: number): number | undefined {
    let hash = 0
    for (let place = end - gramUnits; place < end; place++) {
      const unit = this.#units[place] ?? -1
      if (unit < 0) return undefined
      hash = Math.imul(hash ^ unit, 0x9e3779b1)
      hash ^= hash >>> 15
    }
    return hash & (this.#places.length - 1)
  }

  /** Returns how many units before two places are equal. */
  #agreementOf(one: number, other: number): number {
    let length = 0
    while (
      length < Math.min(one, longestAgreement) &&
      this.#units[one - 1 - length] === this.#units[other - 1 - length]
    )
      length++
    return length
  }

  #grow(length: number): void {
    let places = 1 << 10
    while (places < length * 2 && places < mostPlaces) places *= 2
    this.#places = new Int32Array(places)
    for (let end = gramUnits; end <= this.#seen; end++) this.#remember(end)
  }

  #learn(isHit: boolean): void {
    const record = this.#recordOf(this.#agreement)
    record.hits = record.hits * memory + Number(isHit)
    record.misses = record.misses * memory + Number(!isHit)
  }

  #chanceOf(agreement: number): number {
    const { hits, misses } = this.#recordOf(agreement)
    return Math.min(mostChance, hits / (hits + misses))
  }

  #recordOf(agreement: number): { hits: number; misses: number } {
    const index = usualChances.findLastIndex((row) => row.agreement <= agreement)
    const record = this.#records[Math.max(0, index)]
    if (record === undefined) throw new Error('there is a row for each agreement: this is a bug')
    return record
  }
}

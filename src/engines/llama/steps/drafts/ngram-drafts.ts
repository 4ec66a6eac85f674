/**
 * Guesses how one text goes on from what stands in it already: where its last three units stood before, what followed
 * then may follow again. Texts that copy (edited code, quotes, answers in a fixed form) are guessed well, prose is not; how
 * well is learned from each unit that comes, whether the guess was used or not. It knows this text alone.
 */

export interface Proposal {
  readonly tokens: readonly number[]
  /** `chances[i]`: how likely the first i + 1 of the tokens are all right. Descending. */
  readonly chances: readonly number[]
}

export const nothingProposed: Proposal = { tokens: [], chances: [] }

/** So many units in a row are looked for. */
const gramUnits = 3
/** A table has a place for each of so many grams: 1 MiB. In longer texts the newer ones displace older ones. */
const mostPlaces = 1 << 18
/** Longest agreement that is told apart. */
const longestAgreement = 17
/** What is less likely to be right is not proposed. */
const leastChance = 0.05
/** Nothing is certain. */
const mostChance = 0.99
/** How much of what was learned is kept with each unit. */
const memory = 0.95

/** By how many units before the guess agree, at least: how likely it is right, before anything is known of the text. */
const usualChances = [
  { agreement: 3, chance: 0.3 },
  { agreement: 5, chance: 0.5 },
  { agreement: 9, chance: 0.7 },
  { agreement: longestAgreement, chance: 0.9 },
] as const
/** So many units weigh as much as what is usual. */
const usualWeight = 4

export class NgramDrafts {
  readonly #units: readonly number[]
  /** For the gram of a hash: the place behind it, where it stood last; 0: nowhere. */
  #places = new Int32Array(0)
  /** So many units have been seen. */
  #seen = 0
  /** What stands at this place may come next; 0: no guess. */
  #guess = 0
  /** So many units before the guess are also the last ones of the text. */
  #agreement = 0
  readonly #records = usualChances.map(({ chance }) => ({
    hits: chance * usualWeight,
    misses: (1 - chance) * usualWeight,
  }))

  /** `units` only grow. What they hold now is not learned from: it may have been written by somebody else. */
  constructor(units: readonly number[]) {
    this.#units = units
    this.#follow(false)
  }

  /** At most so many tokens that may come next. */
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

  /** Notes the unit at a place. */
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

  /** Notes the gram that ends at `end`; returns where one of the same hash ended before, or 0. */
  #remember(end: number): number {
    if (end < gramUnits) return 0
    const hash = this.#hashOf(end)
    if (hash === undefined) return 0
    const before = this.#places[hash] ?? 0
    this.#places[hash] = end
    return before
  }

  /** Undefined where a picture is a part of the gram. */
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

  /** How many units before two places are the same. */
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

/** GBNF for numbers within bounds and for multiples: an automaton that reads digit after digit. */
import { max, min, type NumberRange } from './number-range.ts'

/** State that reads the rest of a number. */
interface State {
  /** True if the number may end here. */
  readonly accepts: boolean
  /** Next states by character: a digit, the point or the sign. */
  readonly next: ReadonlyMap<string, State>
  readonly id: number
}

/** Begun number: the remaining digits are at least `low` and at most `high`. */
interface Item {
  readonly low: string
  readonly high: string
  /** Remainder of the read digits by the step. */
  readonly remainder: number
}

/** Most rules: more in one grammar would make it slow to compile. */
const maxRules = 2_000

/** Rules for any number of ranges. Equal rules are written once. */
export class NumberRules {
  readonly #prefix: string
  readonly #states = new Map<string, State>()
  readonly #rules: string[] = []

  /** `prefix` begins the name of each rule. */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /**
   * Returns the name of the rule for the numbers of a range, which must not be empty. Throws Error if there are too
   * many rules.
   */
  add(range: NumberRange): string {
    const positive = this.#magnitudes(range, max(0n, range.minimum), range.maximum)
    const negative = this.#magnitudes(range, max(1n, -range.maximum), -range.minimum)
    const next = new Map(positive?.next)
    if (negative !== undefined) next.set('-', negative)
    return this.#name(this.#intern(false, next))
  }

  /** Returns all rules. */
  text(): string {
    return this.#rules.join('\n')
  }

  /** Returns the numbers from `low` to `high`, neither negative, in decimal notation without leading zeros. */
  #magnitudes({ fractionDigits, step }: NumberRange, low: bigint, high: bigint): State | undefined {
    const begun: Item[] = []
    const shortest = fractionDigits + 1
    for (let length = shortest; length <= Math.max(shortest, String(high).length); length++) {
      const least = length === shortest ? low : max(low, 10n ** BigInt(length - 1))
      const most = min(high, 10n ** BigInt(length) - 1n)
      if (least > most) continue
      begun.push({ low: digits(least, length), high: digits(most, length), remainder: 0 })
    }
    const places = placesOf(Number(step), String(high).length + fractionDigits)
    const reader = { fractionDigits, step: Number(step), places, known: new Map<string, State | undefined>() }
    return this.#state(begun, false, reader)
  }

  /** Returns the state after any of these items; undefined if none can be completed. */
  #state(items: readonly Item[], isFraction: boolean, reader: Reader): State | undefined {
    const { fractionDigits, known } = reader
    const key = `${isFraction} ${items.map(({ low, high, remainder }) => `${low}-${high}%${remainder}`).join(' ')}`
    if (known.has(key)) return known.get(key)
    const next = new Map<string, State>()
    const add = (char: string, state: State | undefined) => state !== undefined && next.set(char, state)
    for (const digit of '0123456789') {
      const advanced = items.flatMap((item) => advance(item, digit, reader, isFraction))
      if (advanced.length > 0) add(digit, this.#state(advanced, isFraction, reader))
    }
    const atPoint = items.filter(({ low }) => low.length === fractionDigits)
    if (!isFraction && fractionDigits > 0 && atPoint.length > 0) add('.', this.#state(atPoint, true, reader))
    const mayEnd = (left: number) => (isFraction ? left < fractionDigits : left === fractionDigits)
    const accepts = items.some(({ low, remainder }) => remainder === 0 && /^0*$/.test(low) && mayEnd(low.length))
    const state = accepts || next.size > 0 ? this.#intern(accepts, next) : undefined
    known.set(key, state)
    return state
  }

  #intern(accepts: boolean, next: ReadonlyMap<string, State>): State {
    const key = `${accepts} ${[...next].map(([char, { id }]) => char + id).join(' ')}`
    const known = this.#states.get(key)
    if (known !== undefined) return known
    if (this.#rules.length >= maxRules) throw new Error('its numbers need too large a grammar')
    const state = { accepts, next, id: this.#states.size }
    this.#states.set(key, state)
    if (next.size > 0) this.#rules.push(`${this.#name(state)} ::= ${this.#body(state)}`)
    return state
  }

  #body({ accepts, next }: Omit<State, 'id'>): string {
    const chars = new Map<State, string>()
    for (const [char, state] of next) chars.set(state, (chars.get(state) ?? '') + char)
    // A hyphen between two digits would be a range.
    const choices = [...chars].map(([state, text]) => {
      const set = `[${text.includes('-') ? `${text.replace('-', '')}\\-` : text}]`
      return state.next.size === 0 ? set : `${set} ${this.#name(state)}`
    })
    return `${accepts ? '| ' : ''}${choices.join(' | ')}`
  }

  #name({ id }: Pick<State, 'id'>): string {
    return `${this.#prefix}${id}`
  }
}

/** Place of a number, by the digits that follow it. */
interface Place {
  readonly power: number
  /** Remainder of the power by the step. */
  readonly value: number
  /** Greatest common divisor of the power and the step. */
  readonly divisor: number
}

interface Reader {
  readonly fractionDigits: number
  readonly step: number
  readonly places: readonly Place[]
  readonly known: Map<string, State | undefined>
}

function advance({ low, high, remainder }: Item, digit: string, reader: Reader, isFraction: boolean): Item[] {
  const [least = '', most = ''] = [low[0], high[0]]
  const rest = low.length - 1
  const isOver = low === '' || (!isFraction && low.length === reader.fractionDigits)
  if (isOver || digit < least || digit > most) return []
  const { step, places } = reader
  const place = places[rest]
  if (place === undefined) return []
  const next = (remainder + Number(digit) * place.value) % step
  if (!isReachable(next, step, place)) return []
  return [
    {
      low: digit === least ? low.slice(1) : '0'.repeat(rest),
      high: digit === most ? high.slice(1) : '9'.repeat(rest),
      remainder: next,
    },
  ]
}

/** Returns whether the remaining digits can complete a multiple. Avoids trying each of them. */
function isReachable(remainder: number, step: number, { power, divisor }: Place): boolean {
  return power > step ? remainder % divisor === 0 : remainder === 0 || step - remainder < power
}

function placesOf(step: number, count: number): Place[] {
  return Array.from({ length: count }, (_, digits) => {
    const power = 10 ** digits
    return { power, value: Number(10n ** BigInt(digits) % BigInt(step)), divisor: commonDivisor(step, power) }
  })
}

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other)
}

function digits(value: bigint, length: number): string {
  return String(value).padStart(length, '0')
}

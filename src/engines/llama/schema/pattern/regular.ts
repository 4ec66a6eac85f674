/**
 * Regular expressions of any kind, intersections and complements included, read character by character: the derivative
 * of an expression is what may follow a first character. Equal expressions are one object.
 */
import { type CharSet, complement, contains, union } from './char-set.ts'
import { PatternProblem } from './pattern-node.ts'

export interface Regular {
  readonly id: number
  /** The empty text fits. */
  readonly isNullable: boolean
  readonly shape: Shape
}

type Shape =
  | { readonly kind: 'never' | 'empty' }
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'sequence'; readonly first: Regular; readonly rest: Regular }
  | { readonly kind: 'any' | 'all'; readonly items: readonly Regular[] }
  | { readonly kind: 'not'; readonly item: Regular }
  | { readonly kind: 'repeat'; readonly item: Regular; readonly least: number; readonly most: number }

/** Limit of derivatives, parts of expressions and separated sets: some 100 ms of work. */
const maxSteps = 300_000

/** Expressions of one text. Each method throws PatternProblem if they add up to too much work. */
export class Regulars {
  #steps = 0
  readonly #known = new Map<string, Regular>()
  readonly #derivatives = new Map<Regular, Map<number, Regular>>()
  readonly never = this.#make('never', false, { kind: 'never' })
  readonly empty = this.#make('empty', true, { kind: 'empty' })
  readonly character = this.set(complement([]))
  readonly anything = this.repeat(this.character, 0, Number.POSITIVE_INFINITY)

  set(set: CharSet): Regular {
    return set.length === 0 ? this.never : this.#make(`set ${set.join(' ')}`, false, { kind: 'set', set })
  }

  sequence(first: Regular, rest: Regular): Regular {
    if (first === this.never || rest === this.never) return this.never
    if (first === this.empty) return rest
    if (rest === this.empty) return first
    const { shape } = first
    if (shape.kind === 'sequence') return this.sequence(shape.first, this.sequence(shape.rest, rest))
    const isNullable = first.isNullable && rest.isNullable
    return this.#make(`sequence ${first.id} ${rest.id}`, isNullable, { kind: 'sequence', first, rest })
  }

  /** Returns the expression for texts that fit one of the items. */
  any(...items: readonly Regular[]): Regular {
    const flat = flatten('any', items).filter((item) => item !== this.never)
    if (flat.includes(this.anything)) return this.anything
    return this.#combine('any', flat, this.never)
  }

  /** Returns the expression for texts that fit all items. */
  all(...items: readonly Regular[]): Regular {
    const flat = flatten('all', items).filter((item) => item !== this.anything)
    if (flat.includes(this.never)) return this.never
    return this.#combine('all', flat, this.anything)
  }

  /** Returns the expression for all other texts. */
  not(item: Regular): Regular {
    if (item.shape.kind === 'not') return item.shape.item
    if (item === this.never) return this.anything
    return item === this.anything ? this.never : this.#make(`not ${item.id}`, !item.isNullable, { kind: 'not', item })
  }

  repeat(item: Regular, least: number, most: number): Regular {
    if (most === 0 || item === this.empty) return this.empty
    if (item === this.never) return least === 0 ? this.empty : this.never
    const from = item.isNullable ? 0 : least
    if (from === 1 && most === 1) return item
    return this.#make(`repeat ${item.id} ${from} ${most}`, from === 0, { kind: 'repeat', item, least: from, most })
  }

  /** Returns the expression for texts that may follow the character. Characters of one set of `alphabet` are alike. */
  derivative(of: Regular, character: number): Regular {
    let known = this.#derivatives.get(of)
    if (known === undefined) {
      known = new Map()
      this.#derivatives.set(of, known)
    }
    const found = known.get(character)
    if (found !== undefined) return found
    this.#spend(1)
    const derived = this.#derive(of.shape, character)
    known.set(character, derived)
    return derived
  }

  #derive(shape: Shape, character: number): Regular {
    const derived = (item: Regular) => this.derivative(item, character)
    switch (shape.kind) {
      case 'never':
      case 'empty':
        return this.never
      case 'set':
        return contains(shape.set, character) ? this.empty : this.never
      case 'sequence': {
        const behind = this.sequence(derived(shape.first), shape.rest)
        return shape.first.isNullable ? this.any(behind, derived(shape.rest)) : behind
      }
      case 'any':
        return this.any(...shape.items.map(derived))
      case 'all':
        return this.all(...shape.items.map(derived))
      case 'not':
        return this.not(derived(shape.item))
      case 'repeat': {
        const { item, least, most } = shape
        return this.sequence(derived(item), this.repeat(item, Math.max(0, least - 1), most - 1))
      }
    }
  }

  /** Returns sets of characters that no expression made here tells apart, without those beyond `within`. */
  alphabet(within: CharSet): CharSet[] {
    const sets = [...this.#known.values()].flatMap(({ shape }) => (shape.kind === 'set' ? [shape.set] : []))
    const starts = [within, ...sets].flatMap((set) => set.flatMap(([from, to]) => [from, to + 1]))
    const sorted = [...new Set(starts)].sort((left, right) => left - right)
    this.#spend(sorted.length * sets.length)
    const alike = new Map<string, [number, number][]>()
    sorted.forEach((from, index) => {
      if (!contains(within, from)) return
      const signature = sets.map((set) => (contains(set, from) ? '1' : '0')).join('')
      const ranges = alike.get(signature) ?? []
      ranges.push([from, (sorted[index + 1] ?? from + 1) - 1])
      alike.set(signature, ranges)
    })
    return [...alike.values()].map((ranges) => union(ranges))
  }

  #spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > maxSteps) throw new PatternProblem('it is too complex')
  }

  #combine(kind: 'any' | 'all', items: readonly Regular[], none: Regular): Regular {
    this.#spend(items.length)
    const unique = [...new Set(items)].sort((left, right) => left.id - right.id)
    const [only] = unique
    if (only === undefined) return none
    if (unique.length === 1) return only
    const isNullable = kind === 'any' ? unique.some((item) => item.isNullable) : unique.every((item) => item.isNullable)
    return this.#make(`${kind} ${unique.map(({ id }) => id).join(' ')}`, isNullable, { kind, items: unique })
  }

  #make(key: string, isNullable: boolean, shape: Shape): Regular {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const made = { id: this.#known.size, isNullable, shape }
    this.#known.set(key, made)
    return made
  }
}

function flatten(kind: 'any' | 'all', items: readonly Regular[]): Regular[] {
  return items.flatMap((item) => (item.shape.kind === kind ? item.shape.items : [item]))
}

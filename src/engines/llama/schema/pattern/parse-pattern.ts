import { anyChar, type CharSet, charsOf, complement, namedSets, union } from './char-set.ts'
import { type PatternNode, PatternProblem } from './pattern-node.ts'

const maxDepth = 40

/** Characters that an escape letter stands for. */
const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v', '0': '\0' }

/** Reads a JSON Schema `pattern`. Throws PatternProblem for what is no such expression or not supported. */
export function parsePattern(pattern: string): PatternNode {
  const parser = new PatternParser(pattern)
  const node = parser.choice(0)
  if (!parser.isAtEnd()) throw new PatternProblem('it has a closing bracket too many')
  return node
}

class PatternParser {
  readonly #chars: readonly string[]
  #at = 0

  constructor(pattern: string) {
    this.#chars = [...pattern]
  }

  isAtEnd(): boolean {
    return this.#at >= this.#chars.length
  }

  choice(depth: number): PatternNode {
    if (depth > maxDepth) throw new PatternProblem('its groups are nested too deeply')
    const options = [this.#sequence(depth)]
    while (this.#take('|')) options.push(this.#sequence(depth))
    const [first] = options
    return options.length === 1 && first !== undefined ? first : { kind: 'choice', options }
  }

  #sequence(depth: number): PatternNode {
    const items: PatternNode[] = []
    while (!this.isAtEnd() && !this.#sees('|') && !this.#sees(')')) {
      const atom = this.#atom(depth)
      items.push(atom.kind === 'anchor' ? atom : this.#repeated(atom))
    }
    return { kind: 'sequence', items }
  }

  #atom(depth: number): PatternNode {
    const char = this.#next()
    switch (char) {
      case '^':
        return { kind: 'anchor', at: 'start' }
      case '$':
        return { kind: 'anchor', at: 'end' }
      case '.':
        return { kind: 'set', set: anyChar }
      case '[':
        return { kind: 'set', set: this.#class() }
      case '(':
        return this.#group(depth)
      case '\\':
        return { kind: 'set', set: this.#escape() }
      case '*':
      case '+':
      case '?':
        throw new PatternProblem('it repeats nothing')
      default:
        return { kind: 'set', set: charsOf(char) }
    }
  }

  #group(depth: number): PatternNode {
    if (this.#take('?') && !this.#take(':')) {
      if (!this.#take('<') || this.#sees('=') || this.#sees('!')) {
        throw new PatternProblem('it looks ahead or back, or sets flags')
      }
      while (!this.#take('>')) this.#next()
    }
    const inner = this.choice(depth + 1)
    if (!this.#take(')')) throw new PatternProblem('a bracket is not closed')
    return inner
  }

  #repeated(item: PatternNode): PatternNode {
    const range = this.#quantifier()
    if (range === undefined) return item
    // What a lazy quantifier matches in the end is the same.
    this.#take('?')
    if (this.#quantifier() !== undefined) throw new PatternProblem('it repeats a repetition')
    return { kind: 'repeat', item, ...range }
  }

  #quantifier(): { least: number; most: number } | undefined {
    if (this.#take('*')) return { least: 0, most: Number.POSITIVE_INFINITY }
    if (this.#take('+')) return { least: 1, most: Number.POSITIVE_INFINITY }
    if (this.#take('?')) return { least: 0, most: 1 }
    if (!this.#sees('{')) return undefined
    const close = this.#chars.indexOf('}', this.#at)
    const text = close === -1 ? '' : this.#chars.slice(this.#at + 1, close).join('')
    const [, from, comma, to] = /^(\d{1,6})(?:(,)(\d{1,6})?)?$/.exec(text) ?? []
    if (from === undefined) return undefined // a brace like any character
    this.#at = close + 1
    const least = Number(from)
    const most = comma === undefined ? least : to === undefined ? Number.POSITIVE_INFINITY : Number(to)
    if (most < least) throw new PatternProblem('a repetition ends before it begins')
    return { least, most }
  }

  #class(): CharSet {
    const isNegated = this.#take('^')
    const sets: CharSet[] = []
    while (!this.#take(']')) {
      const from = this.#classAtom()
      const low = single(from)
      if (low !== undefined && this.#sees('-') && this.#chars[this.#at + 1] !== ']') {
        this.#next()
        const to = this.#classAtom()
        const high = single(to)
        if (high === undefined) sets.push(from, charsOf('-'), to)
        else if (high < low) throw new PatternProblem('a range of characters ends before it begins')
        else sets.push([[low, high]])
      } else {
        sets.push(from)
      }
    }
    return isNegated ? complement(union(...sets)) : union(...sets)
  }

  #classAtom(): CharSet {
    const char = this.#next()
    if (char !== '\\') return charsOf(char)
    if (this.#take('b')) return charsOf('\b')
    if (this.#take('-')) return charsOf('-')
    return this.#escape()
  }

  /** What follows a backslash. */
  #escape(): CharSet {
    const char = this.#next()
    const named = Object.hasOwn(namedSets, char) ? namedSets[char] : undefined
    if (named !== undefined) return named
    const control = Object.hasOwn(escapes, char) ? escapes[char] : undefined
    if (control !== undefined) return charsOf(control)
    if (char === 'x') return this.#hex(2)
    if (char === 'u') return this.#take('{') ? this.#bracedHex() : this.#hex(4)
    if (/[a-zA-Z0-9]/.test(char)) throw new PatternProblem(`'\\${char}' has no equal in a grammar`)
    return charsOf(char)
  }

  #hex(length: number): CharSet {
    const digits = Array.from({ length }, () => this.#next()).join('')
    return codePoint(digits)
  }

  #bracedHex(): CharSet {
    let digits = ''
    while (!this.#take('}')) digits += this.#next()
    return codePoint(digits)
  }

  #sees(char: string): boolean {
    return this.#chars[this.#at] === char
  }

  #take(char: string): boolean {
    if (!this.#sees(char)) return false
    this.#at++
    return true
  }

  #next(): string {
    const char = this.#chars[this.#at]
    if (char === undefined) throw new PatternProblem('it is not complete')
    this.#at++
    return char
  }
}

function codePoint(digits: string): CharSet {
  const value = /^[0-9a-fA-F]{1,8}$/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN
  if (!(value <= 0x10ffff)) throw new PatternProblem('an escape is not complete')
  return [[value, value]]
}

/** The set's only character, if it has one. */
function single(set: CharSet): number | undefined {
  const [first] = set
  return set.length === 1 && first !== undefined && first[0] === first[1] ? first[0] : undefined
}

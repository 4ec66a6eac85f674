import { objectIn } from '../../core/json.ts'

/** Beginning of arguments that follow the tool's schema. */
const opening = /^\s*\{\s*"input"\s*:\s*"/
/** Any prefix of that beginning. */
const partOfOpening = /^\s*(?:\{\s*(?:"(?:i(?:n(?:p(?:u(?:t(?:"\s*(?::\s*)?)?)?)?)?)?)?)?)?$/

/** Most characters of an opening. With more white space, text counts as something else. */
const maxOpeningLength = 1_000

type State =
  | { readonly kind: 'opening'; readonly text: string }
  /** Inside the string. `begun` is the beginning of an escape, `half` the first half of a surrogate pair. */
  | { readonly kind: 'input'; readonly begun: string; readonly half: string }
  | { readonly kind: 'over' }
  /** Other JSON, read once it is complete. */
  | { readonly kind: 'other-json'; readonly pieces: string[] }
  /** Plain text: the model wrote the input itself. */
  | { readonly kind: 'raw' }

/**
 * Takes the arguments of a custom tool's call, `{"input":"…"}`, piece by piece, and returns the input as it becomes
 * known. Never fails on other forms: an `input` elsewhere in the object counts, else the text itself is the input.
 * Linear in the text.
 */
export class CustomInputDecoder {
  #state: State = { kind: 'opening', text: '' }

  /** Returns the input that this piece of the arguments adds, often empty at first. */
  push(argumentsText: string): string {
    switch (this.#state.kind) {
      case 'opening':
        return this.#open(this.#state.text + argumentsText)
      case 'input':
        return this.#decode(this.#state.begun + argumentsText, this.#state.half)
      case 'other-json':
        this.#state.pieces.push(argumentsText)
        return ''
      case 'raw':
        return argumentsText
      case 'over':
        return ''
    }
  }

  /** Returns the rest of the input once the arguments are complete or cut. */
  end(): string {
    const state = this.#state
    this.#state = { kind: 'over' }
    if (state.kind === 'input') return state.half.toWellFormed()
    return state.kind === 'other-json' ? inputOf(state.pieces.join('')) : ''
  }

  #open(text: string): string {
    const matched = opening.exec(text)
    if (matched !== null) return this.#decode(text.slice(matched[0].length), '')
    if (text.length <= maxOpeningLength && partOfOpening.test(text)) {
      this.#state = { kind: 'opening', text }
      return ''
    }
    const isJson = text.trimStart().startsWith('{')
    this.#state = isJson ? { kind: 'other-json', pieces: [text] } : { kind: 'raw' }
    return isJson ? '' : text
  }

  /** Decodes text of the string. `half` is the first half of a surrogate pair from the previous piece. */
  #decode(text: string, half: string): string {
    let decoded = half
    let at = 0
    while (at < text.length) {
      const special = nextSpecial(text, at)
      decoded += text.slice(at, special)
      if (text[special] === '"') {
        this.#state = { kind: 'over' }
        return decoded.toWellFormed()
      }
      const anyEscape = /\\(?:u[\da-fA-F]{4}|.)/suy
      anyEscape.lastIndex = special
      const isCut = /^\\(?:u[\da-fA-F]{0,3})?$/.test(text.slice(special, special + 6))
      const found = isCut ? null : anyEscape.exec(text)
      if (found === null) return this.#hold(decoded, text.slice(special))
      decoded += meaningOf(found[0])
      at = special + found[0].length
    }
    return this.#hold(decoded, '')
  }

  /** Keeps the first half of a pair back: the other half may follow. */
  #hold(decoded: string, begun: string): string {
    const isHalf = /[\ud800-\udbff]$/.test(decoded.slice(-1))
    const whole = isHalf ? decoded.slice(0, -1) : decoded
    this.#state = { kind: 'input', begun, half: isHalf ? decoded.slice(-1) : '' }
    return whole.toWellFormed()
  }
}

/** Returns the index of the next quote or backslash, or the length. */
function nextSpecial(text: string, from: number): number {
  const special = /["\\]/g
  special.lastIndex = from
  return special.exec(text)?.index ?? text.length
}

const letters: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }
const same = new Set(['"', '\\', '/'])

function meaningOf(escaped: string): string {
  const letter = escaped.slice(1)
  if (letter.length === 5) return String.fromCharCode(Number.parseInt(letter.slice(1), 16))
  // An invalid escape is a literal backslash.
  return letters[letter] ?? (same.has(letter) ? letter : escaped)
}

/** Returns the input in complete arguments of unusual form. */
function inputOf(argumentsText: string): string {
  const value = objectIn(argumentsText)
  if (typeof value?.input === 'string') return value.input.toWellFormed()
  // Text that is no object is itself the input.
  return value !== undefined && Object.keys(value).length === 0 ? '' : argumentsText
}

/** Returns the input in the arguments of a whole call. */
export function decodeCustomInput(argumentsText: string): string {
  const decoder = new CustomInputDecoder()
  return decoder.push(argumentsText) + decoder.end()
}

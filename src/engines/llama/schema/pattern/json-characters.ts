import { type CharSet, contains, intersection, plainInJson, union } from './char-set.ts'
import { PatternProblem } from './pattern-node.ts'

/** Characters that JSON text escapes by a letter, with the escape inside a GBNF literal. */
const jsonEscapes: readonly (readonly [char: number, literal: string])[] = [
  [0x22, '\\\\\\"'],
  [0x5c, '\\\\\\\\'],
  [0x0a, '\\\\n'],
  [0x0d, '\\\\r'],
  [0x09, '\\\\t'],
  [0x08, '\\\\b'],
  [0x0c, '\\\\f'],
]

/** Characters that JSON text can hold: plainly, or behind a backslash. */
export const heldInJson: CharSet = union(
  plainInJson,
  jsonEscapes.map(([char]) => [char, char] as const),
)

/** Returns one item of GBNF for a character of the set, as JSON text writes it. Throws PatternProblem if it cannot. */
export function printSet(set: CharSet): string {
  const forms = formsOf(set)
  const [first] = forms
  if (first === undefined) throw new PatternProblem('it wants characters that JSON text does not hold')
  return forms.length === 1 ? first : `( ${forms.join(' | ')} )`
}

/** Returns the ways in which JSON text writes characters of the set. */
export function formsOf(set: CharSet): string[] {
  const plain = intersection(set, plainInJson)
  const ranges = plain.map(([from, to]) => (from === to ? printChar(from) : `${printChar(from)}-${printChar(to)}`))
  const escapes = jsonEscapes.filter(([char]) => contains(set, char)).map(([, literal]) => `"${literal}"`)
  return plain.length === 0 ? escapes : [`[${ranges.join('')}]`, ...escapes]
}

function printChar(code: number): string {
  const char = String.fromCodePoint(code)
  if (/[a-zA-Z0-9]/.test(char)) return char
  const hex = code.toString(16).toUpperCase()
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

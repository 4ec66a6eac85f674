import { type CharSet, contains, intersection, plainInJson } from './char-set.ts'
import { type PatternNode, PatternProblem } from './pattern-node.ts'

/** Characters that JSON text escapes by a letter: the escape as the converter reads it. */
const jsonEscapes: readonly (readonly [char: number, text: string])[] = [
  [0x22, '\\\\"'],
  [0x5c, '\\\\\\\\'],
  [0x0a, '\\\\n'],
  [0x0d, '\\\\r'],
  [0x09, '\\\\t'],
  [0x08, '\\\\b'],
  [0x0c, '\\\\f'],
]

/**
 * The expression as the converter reads it: it takes the pattern for the JSON text between the quotes, so that
 * characters which are escaped there are left out of sets. No anchors; throws PatternProblem for one.
 */
export function printPattern(node: PatternNode): string {
  switch (node.kind) {
    case 'set':
      return printSet(node.set)
    case 'sequence':
      return node.items.map(printItem).join('')
    case 'choice':
      return `(${node.options.map(printPattern).join('|')})`
    case 'repeat':
      return node.most === 0 ? '' : `${printRepeated(node.item)}${printRange(node.least, node.most)}`
    case 'anchor':
      throw new PatternProblem('it has an anchor in the middle')
  }
}

function printItem(node: PatternNode): string {
  return node.kind === 'sequence' ? `(${printPattern(node)})` : printPattern(node)
}

function printRepeated(item: PatternNode): string {
  const text = printPattern(item)
  return item.kind === 'set' && text.startsWith('[') ? text : `(${text})`
}

function printRange(least: number, most: number): string {
  if (least === 0 && most === Number.POSITIVE_INFINITY) return '*'
  if (least === 1 && most === Number.POSITIVE_INFINITY) return '+'
  if (least === 0 && most === 1) return '?'
  if (least === most) return `{${least}}`
  return most === Number.POSITIVE_INFINITY ? `{${least},}` : `{${least},${most}}`
}

function printSet(set: CharSet): string {
  const plain = intersection(set, plainInJson)
  const [first] = plain
  if (first === undefined) return printEscapes(set)
  const isOne = plain.length === 1 && first[0] === first[1]
  if (isOne && /[a-zA-Z0-9]/.test(String.fromCodePoint(first[0]))) return String.fromCodePoint(first[0])
  const ranges = plain.map(([from, to]) => (from === to ? printChar(from) : `${printChar(from)}-${printChar(to)}`))
  return `[${ranges.join('')}]`
}

function printEscapes(set: CharSet): string {
  const texts = jsonEscapes.filter(([char]) => contains(set, char)).map(([, text]) => text)
  if (texts.length === 0) throw new PatternProblem('it wants characters that JSON text does not hold')
  return `(${texts.join('|')})`
}

function printChar(code: number): string {
  const char = String.fromCodePoint(code)
  if (/[a-zA-Z0-9]/.test(char)) return char
  const hex = code.toString(16).toUpperCase()
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

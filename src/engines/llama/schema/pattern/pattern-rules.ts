import { printSet } from './json-characters.ts'
import { type PatternNode, PatternProblem } from './pattern-node.ts'

/**
 * Returns the expression as one right side of GBNF, over JSON text between the quotes. Throws PatternProblem for anchors and
 * for what looks ahead.
 */
export function patternRule(node: PatternNode): string {
  switch (node.kind) {
    case 'set':
      return printSet(node.set)
    case 'sequence':
      return node.items.map(patternRule).join(' ') || '""'
    case 'choice':
      return `( ${node.options.map(patternRule).join(' | ')} )`
    case 'repeat':
      return node.most === 0 ? '""' : `${repeated(node.item)}${times(node.least, node.most)}`
    case 'anchor':
      throw new PatternProblem('it has an anchor in the middle')
    case 'look':
      throw new PatternProblem('it looks ahead')
  }
}

function repeated(item: PatternNode): string {
  const text = patternRule(item)
  return item.kind === 'set' || item.kind === 'choice' ? text : `( ${text} )`
}

function times(least: number, most: number): string {
  if (least === 0 && most === Number.POSITIVE_INFINITY) return '*'
  if (least === 1 && most === Number.POSITIVE_INFINITY) return '+'
  if (least === 0 && most === 1) return '?'
  if (least === most) return `{${least}}`
  return most === Number.POSITIVE_INFINITY ? `{${least},}` : `{${least},${most}}`
}

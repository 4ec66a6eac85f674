import { heldInJson, printSet } from './json-characters.ts'
import { lengthRange, type PatternNode, PatternProblem, repetitionsOf } from './pattern-node.ts'

/** Maximum rules per pattern. */
const maxRules = 1_000
/** Maximum characters of the rule: sets written out are longer than their short forms. */
const maxCharacters = 40_000

/** Limits of a text, in characters. */
export interface Lengths {
  readonly least: number
  /** Undefined means no limit. */
  readonly most: number | undefined
}

/**
 * Translates a JSON Schema `pattern`, which may match anywhere in the text, into the right side of one GBNF rule for
 * the JSON text between the quotes. Returns undefined if the lengths need more than one rule, or the rule is too large.
 * Throws PatternProblem.
 */
export function translatePattern(pattern: PatternNode, lengths: Lengths): string | undefined {
  const fitted = fitLengths(wholeString(pattern), lengths)
  const range = lengthRange(fitted)
  const holdsLengths = range.least >= lengths.least && range.most <= (lengths.most ?? Number.POSITIVE_INFINITY)
  if (!holdsLengths || repetitionsOf(fitted) > maxRules) return undefined
  const text = patternRule(fitted)
  return text.length > maxCharacters ? undefined : text
}

const anything: PatternNode = {
  kind: 'repeat',
  item: { kind: 'set', set: heldInJson },
  least: 0,
  most: Number.POSITIVE_INFINITY,
}

/** Returns the expression without its outer anchors. Without an anchor any text may stand there. */
function wholeString(node: PatternNode): PatternNode {
  if (node.kind === 'choice') return { kind: 'choice', options: node.options.map(wholeString) }
  const items = node.kind === 'sequence' ? node.items : [node]
  const [only] = items
  // `^(a|b)$` keeps its anchors outside, `(^a|b$)` has them inside.
  if (items.length === 1 && only?.kind === 'choice') return wholeString(only)
  const first = items.findIndex((item) => !isAnchor(item, 'start'))
  const last = items.findLastIndex((item) => !isAnchor(item, 'end'))
  const inner = first === -1 ? [] : items.slice(first, last + 1)
  const [before, after] = [first === 0 ? [anything] : [], last === items.length - 1 ? [anything] : []]
  return { kind: 'sequence', items: [...before, ...inner, ...after] }
}

function isAnchor(node: PatternNode, at: 'start' | 'end'): boolean {
  return node.kind === 'anchor' && node.at === at
}

/** Puts lengths into a pattern that repeats one character: `^[a-z]+$` up to 8 long becomes `^[a-z]{1,8}$`. */
function fitLengths(node: PatternNode, { least, most = Number.POSITIVE_INFINITY }: Lengths): PatternNode {
  const only = node.kind === 'sequence' && node.items.length === 1 ? node.items[0] : undefined
  if (only?.kind !== 'repeat' || only.item.kind !== 'set') return node
  const range = { least: Math.max(only.least, least), most: Math.min(only.most, most) }
  return range.least > range.most ? node : { ...only, ...range }
}

/**
 * Returns the expression as one right side of GBNF, over JSON text between the quotes. Throws PatternProblem for
 * anchors and lookaheads.
 */
function patternRule(node: PatternNode): string {
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

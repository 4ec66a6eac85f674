import { schemaLimits } from '../schema-limits.ts'
import { plainInJson } from './char-set.ts'
import { parsePattern } from './parse-pattern.ts'
import { lengthRange, type PatternNode, PatternProblem, repetitionsOf } from './pattern-node.ts'
import { printPattern } from './print-pattern.ts'

const maxPatternLength = 1_000
/** Sets written out are longer than what stands for them. */
const maxResultLength = 8_000

/** The limits of the string that the pattern is a part of. */
export interface Lengths {
  readonly least: number
  readonly most: number | undefined
}

export type TranslatedPattern =
  /** `holdsLengths`: every string that fits the pattern keeps to the lengths as well. */
  { readonly pattern: string; readonly holdsLengths: boolean } | { readonly problem: string }

/**
 * A JSON Schema `pattern`, which looks for a match anywhere in the string, as the whole-string pattern over JSON text
 * that the converter reads. What it matches matches the original too.
 */
export function translatePattern(pattern: string, lengths: Lengths): TranslatedPattern {
  if (pattern.length > maxPatternLength) return { problem: `it has more than ${maxPatternLength} characters` }
  try {
    const whole = wholeString(parsePattern(pattern))
    const fitted = fitLengths(whole, lengths)
    if (repetitionsOf(fitted) > schemaLimits.repetitions)
      return { problem: `it counts to more than ${schemaLimits.repetitions}` }
    const text = printPattern(fitted)
    if (text.length > maxResultLength) return { problem: 'it is too complex' }
    const range = lengthRange(fitted)
    const holdsLengths = range.least >= lengths.least && range.most <= (lengths.most ?? Number.POSITIVE_INFINITY)
    return { pattern: `^${text}$`, holdsLengths }
  } catch (error) {
    if (error instanceof PatternProblem) return { problem: error.message }
    throw error
  }
}

const anything: PatternNode = {
  kind: 'repeat',
  item: { kind: 'set', set: plainInJson },
  least: 0,
  most: Number.POSITIVE_INFINITY,
}

/** The expression without its outer anchors; where one is missing, anything may stand. */
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

/** Lengths are put into the pattern where it repeats one character: `^[a-z]+$` up to 8 long is `^[a-z]{1,8}$`. */
function fitLengths(node: PatternNode, { least, most = Number.POSITIVE_INFINITY }: Lengths): PatternNode {
  const only = node.kind === 'sequence' && node.items.length === 1 ? node.items[0] : undefined
  if (only?.kind !== 'repeat' || only.item.kind !== 'set') return node
  const range = { least: Math.max(only.least, least), most: Math.min(only.most, most) }
  return range.least > range.most ? node : { ...only, ...range }
}

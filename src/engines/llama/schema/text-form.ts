/** GBNF rules for texts with a pattern, a format and lengths at once. */
import { automatonOf, automatonRules, sizeOf, withLengths } from './pattern/automaton.ts'
import { parsePattern } from './pattern/parse-pattern.ts'
import { lengthRange, type PatternNode, PatternProblem } from './pattern/pattern-node.ts'
import { Regulars } from './pattern/regular.ts'
import { searchedText } from './pattern/to-regular.ts'
import { type Lengths, translatePattern } from './pattern/translate-pattern.ts'
import { formatPattern } from './string-formats.ts'

/** Keywords of a text as a schema has them. */
export interface TextLimits {
  readonly pattern: string | undefined
  readonly format: string | undefined
  readonly lengths: Lengths
}

export interface TextForm {
  /**
   * GBNF of the JSON string: a rule of this name and others that begin with it. Undefined if only lengths are enforced.
   */
  readonly rules: ((name: string) => string[]) | undefined
  /** Approximate number of rules and alternatives, including the cost of failed attempts. */
  readonly size: number
  /** Keywords that are not enforced, with reasons. */
  readonly left: readonly { readonly keyword: 'pattern' | 'format'; readonly why: string }[]
}

const maxPatternLength = 4_000
const maxStates = 2_000
/** Maximum rules of one text, and alternatives within them. */
const maxSize = 20_000
/** Cost of a failed attempt, as a size: up to some 100 ms. */
const triedSize = 2_000
/** Characters of a grammar that cost as much as one alternative within a rule. */
const charactersPerWay = 30
/** Total size of the remembered forms, some 50 MB: requests repeat the same tools again and again. */
const maxKnownSize = 200_000
const known = new Map<string, TextForm>()
let knownSize = 0

/**
 * Returns the form of a text with these limits. If pattern and format cannot both be enforced, it enforces one that
 * can: the pattern if they exclude each other. Texts may be shorter than the lengths allow, never longer.
 */
export function textForm(limits: TextLimits): TextForm {
  const key = JSON.stringify([limits.pattern, limits.format, limits.lengths])
  const found = known.get(key)
  if (found !== undefined) return found
  const form = findForm(limits)
  known.set(key, form)
  knownSize += form.size + 1
  for (const [oldest, { size }] of known) {
    if (knownSize <= maxKnownSize) break
    known.delete(oldest)
    knownSize -= size + 1
  }
  return form
}

function findForm({ pattern, format, lengths }: TextLimits): TextForm {
  const formatted = formatPattern(format)
  const written = pattern === undefined ? undefined : parsed(pattern)
  if (written === undefined) return formatted === undefined ? nothing : ofFormat(formatted, lengths)
  if ('problem' in written) {
    // The format is enforced in place of the pattern.
    const instead = formatted === undefined ? nothing : ofFormat(formatted, lengths)
    return instead.rules === undefined ? { ...instead, left: leave('pattern', written.problem) } : instead
  }
  const both =
    formatted === undefined ? undefined : ofPatterns([written.node, formatted.node], atMost(lengths, formatted))
  if (both?.rules !== undefined) return both
  const alone = ofPattern(written.node, lengths)
  return { ...alone, size: alone.size + (both?.size ?? 0) }
}

function ofFormat(formatted: Formatted, lengths: Lengths): TextForm {
  const form = ofPatterns([formatted.node], atMost(lengths, formatted))
  return form.rules === undefined ? { ...form, left: leave('format', 'within these lengths') } : form
}

function ofPattern(node: PatternNode, lengths: Lengths): TextForm {
  const plain = plainForm(node, lengths)
  if (plain !== undefined) return plain
  const form = ofPatterns([node], lengths)
  if (form.rules !== undefined || (lengths.least === 0 && lengths.most === undefined)) return form
  const alone = ofPattern(node, { least: 0, most: undefined })
  const left = alone.rules === undefined ? alone.left : leave('pattern', 'together with a minLength or maxLength')
  return { ...alone, size: alone.size + form.size, left }
}

function plainForm(node: PatternNode, lengths: Lengths): TextForm | undefined {
  try {
    const body = translatePattern(node, lengths)
    if (body === undefined) return undefined
    const size = Math.ceil(body.length / charactersPerWay)
    return { rules: (name) => [`${name} ::= "\\"" ${body} "\\""`], size, left: [] }
  } catch (error) {
    if (error instanceof PatternProblem) return undefined
    throw error
  }
}

/**
 * Returns the form of texts in which all patterns are found. If they need too many rules, only shorter texts are
 * allowed.
 */
function ofPatterns(nodes: readonly PatternNode[], lengths: Lengths): TextForm {
  try {
    const regulars = new Regulars()
    const longest = lengths.most ?? Number.POSITIVE_INFINITY
    const texts = nodes.map((node) => searchedText(withoutCountsFrom(longest, node), regulars))
    const free = automatonOf(regulars.all(...texts), regulars, maxStates)
    const machine = typeof free === 'string' ? free : withLengths(free, lengths, maxStates)
    if (machine === 'empty') return { ...tried, left: leave('pattern', 'no text fits it and what stands beside it') }
    const size = machine === 'large' ? Number.POSITIVE_INFINITY : sizeOf(machine)
    if (machine === 'large' || size > maxSize) return { ...tried, left: leave('pattern', 'it is too complex') }
    return { rules: (name) => automatonRules(name, machine), size, left: [] }
  } catch (error) {
    if (!(error instanceof PatternProblem)) throw error
    return { ...tried, left: leave('pattern', error.message) }
  }
}

/** Returns the same for texts of up to `longest` characters, in which larger counts have no effect. */
function withoutCountsFrom(longest: number, node: PatternNode): PatternNode {
  const within = (inner: PatternNode) => withoutCountsFrom(longest, inner)
  switch (node.kind) {
    case 'set':
    case 'anchor':
      return node
    case 'look':
      return { ...node, ahead: within(node.ahead) }
    case 'sequence':
      return { ...node, items: node.items.map(within) }
    case 'choice':
      return { ...node, options: node.options.map(within) }
    case 'repeat': {
      const isIdle = node.most >= longest && lengthRange(node.item).least > 0
      return { ...node, item: within(node.item), most: isIdle ? Number.POSITIVE_INFINITY : node.most }
    }
  }
}

const nothing: TextForm = { rules: undefined, size: 0, left: [] }
const tried: TextForm = { ...nothing, size: triedSize }

function leave(keyword: 'pattern' | 'format', why: string): TextForm['left'] {
  return [{ keyword, why }]
}

function parsed(pattern: string): { readonly node: PatternNode } | { readonly problem: string } {
  if (pattern.length > maxPatternLength) return { problem: `it has more than ${maxPatternLength} characters` }
  try {
    return { node: parsePattern(pattern) }
  } catch (error) {
    if (error instanceof PatternProblem) return { problem: error.message }
    throw error
  }
}

type Formatted = NonNullable<ReturnType<typeof formatPattern>>

function atMost({ least, most }: Lengths, { most: longest }: Formatted): Lengths {
  return { least, most: Math.min(most ?? longest, longest) }
}

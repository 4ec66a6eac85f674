import { type AST, RegExpParser, RegExpSyntaxError } from '@eslint-community/regexpp'
import { anyChar, type CharSet, complement, namedSets, union } from './char-set.ts'
import { type PatternNode, PatternProblem } from './pattern-node.ts'

const maxDepth = 40

/**
 * Reads a JSON Schema `pattern`. Throws PatternProblem if it is not a regular expression or has no equivalent in a
 * grammar.
 */
export function parsePattern(pattern: string): PatternNode {
  return toChoice(parse(pattern).alternatives, 0)
}

/**
 * Parses Unicode syntax, for which schemas are written, or else the older syntax: only that allows escapes of
 * characters that need none, which are common.
 */
function parse(pattern: string): AST.Pattern {
  try {
    return new RegExpParser().parsePattern(pattern, 0, pattern.length, { unicode: true })
  } catch {
    return parseOlderSyntax(pattern)
  }
}

/**
 * Parses the older syntax. Refuses characters beyond U+FFFF: they count as two there, so no set of them would be right.
 */
function parseOlderSyntax(pattern: string): AST.Pattern {
  if (/[\ud800-\udfff]/.test(pattern)) throw new PatternProblem('it is not a Unicode regular expression')
  try {
    return new RegExpParser().parsePattern(pattern)
  } catch (error) {
    if (!(error instanceof RegExpSyntaxError)) throw error
    throw new PatternProblem('it is not a regular expression')
  }
}

function toChoice(alternatives: readonly AST.Alternative[], depth: number): PatternNode {
  if (depth > maxDepth) throw new PatternProblem('its groups are nested too deeply')
  const options = alternatives.map(({ elements }): PatternNode => {
    return { kind: 'sequence', items: elements.map((element) => toNode(element, depth)) }
  })
  const [first] = options
  return options.length === 1 && first !== undefined ? first : { kind: 'choice', options }
}

function toNode(element: AST.Element, depth: number): PatternNode {
  switch (element.type) {
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
      return { kind: 'set', set: toSet(element) }
    case 'Assertion':
      if (element.kind === 'start' || element.kind === 'end') return { kind: 'anchor', at: element.kind }
      if (element.kind !== 'lookahead') throw new PatternProblem('it looks back, or for the edges of words')
      return { kind: 'look', ahead: toChoice(element.alternatives, depth + 1), isNegative: element.negate }
    case 'Quantifier':
      return { kind: 'repeat', item: toNode(element.element, depth), least: element.min, most: element.max }
    case 'Group':
      if (element.modifiers !== null) throw new PatternProblem('it sets flags')
      return toChoice(element.alternatives, depth + 1)
    case 'CapturingGroup':
      return toChoice(element.alternatives, depth + 1)
    default:
      throw withoutEqual(element)
  }
}

/** In the older syntax an unknown escape stands for its letter, which is seldom intended. */
const knownEscape = /^\\(?:[^a-zA-Z0-9]|[tnrfvb0]$|[xu][\da-fA-F{])/

function toSet(element: AST.Character | AST.CharacterSet | AST.CharacterClass | AST.CharacterClassElement): CharSet {
  switch (element.type) {
    case 'Character':
      if (element.raw.length > 1 && element.raw.startsWith('\\') && !knownEscape.test(element.raw)) {
        throw withoutEqual(element)
      }
      return [[element.value, element.value]]
    case 'CharacterClassRange':
      return [[element.min.value, element.max.value]]
    case 'CharacterClass': {
      const set = union(...element.elements.map(toSet))
      return element.negate ? complement(set) : set
    }
    case 'CharacterSet':
      if (element.kind === 'any') return anyChar
      if (element.kind === 'property') return propertyOf(element)
      return element.negate ? complement(namedSets[element.kind]) : namedSets[element.kind]
    default:
      throw withoutEqual(element)
  }
}

function propertyOf(element: AST.UnicodePropertyCharacterSet): CharSet {
  if (element.strings) throw withoutEqual(element)
  return propertySet(element.raw)
}

function withoutEqual({ raw }: AST.Node): PatternProblem {
  return new PatternProblem(`'${raw.slice(0, 50)}' has no equal in a grammar`)
}

/** All characters except surrogates, in order. Made when the first pattern needs a property. */
let everyCharacter = ''
const known = new Map<string, CharSet>()

/** Returns the characters that a Unicode property escape such as `\p{L}` stands for. */
function propertySet(written: string): CharSet {
  const found = known.get(written)
  if (found !== undefined) return found
  if (everyCharacter === '') everyCharacter = charactersOf(0, 0xd7ff) + charactersOf(0xe000, 0x10ffff)
  const set: [number, number][] = []
  for (const [run] of everyCharacter.matchAll(new RegExp(`${written}+`, 'gu'))) {
    // A run may span the gap of the surrogates, which JSON text does not contain.
    const last = run.codePointAt(run.length - 2) ?? 0
    set.push([run.codePointAt(0) ?? 0, last > 0xffff ? last : run.charCodeAt(run.length - 1)])
  }
  known.set(written, set)
  return set
}

function charactersOf(from: number, to: number): string {
  const pieces: string[] = []
  for (let code = from; code <= to; code++) pieces.push(String.fromCodePoint(code))
  return pieces.join('')
}

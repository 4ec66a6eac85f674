import { type CharSet, union } from './char-set.ts'
import { formsOf, heldInJson } from './json-characters.ts'
import type { Regular, Regulars } from './regular.ts'
import type { Lengths } from './translate-pattern.ts'

/**
 * States of the machine that reads a regular expression. From each state some text can be completed. The first one is
 * the start.
 */
interface Automaton {
  readonly states: readonly State[]
}

interface State {
  readonly isEnd: boolean
  readonly next: readonly { readonly set: CharSet; readonly to: number }[]
}

/**
 * Returns the machine for the expression, over the characters that JSON text can hold: 'empty' if no text fits, 'large'
 * if it has more than `maxStates` states. Throws PatternProblem if it takes too much work.
 */
export function automatonOf(expression: Regular, regulars: Regulars, maxStates: number): Automaton | 'empty' | 'large' {
  const alphabet = regulars.alphabet(heldInJson).map((set) => ({ set, sample: set[0]?.[0] ?? 0 }))
  const indexes = new Map([[expression, 0]])
  const states: { isEnd: boolean; next: Map<number, CharSet[]> }[] = []
  for (const regular of indexes.keys()) {
    if (indexes.size > maxStates) return 'large'
    const next = new Map<number, CharSet[]>()
    for (const { set, sample } of alphabet) {
      const behind = regulars.derivative(regular, sample)
      if (behind === regulars.never) continue
      const index = indexes.get(behind) ?? indexes.size
      if (index === indexes.size) indexes.set(behind, index)
      const sets = next.get(index)
      if (sets === undefined) next.set(index, [set])
      else sets.push(set)
    }
    states.push({ isEnd: regular.isNullable, next })
  }
  return trimmed(states)
}

interface RawState {
  readonly isEnd: boolean
  readonly next: ReadonlyMap<number, readonly CharSet[]>
}

/** Removes states from which no end can be reached. */
function trimmed(states: readonly RawState[]): Automaton | 'empty' {
  const isUseful = usefulStates(states)
  if (isUseful[0] !== true) return 'empty'
  const unions = new Map<string, CharSet>()
  return {
    states: states.map(({ isEnd, next }) => ({
      isEnd,
      next: [...next].filter(([to]) => isUseful[to]).map(([to, sets]) => ({ set: joined(sets, unions), to })),
    })),
  }
}

/** Returns one set for separate ones. Equal sets are one object. */
function joined(sets: readonly CharSet[], unions: Map<string, CharSet>): CharSet {
  const [only] = sets
  if (only !== undefined && sets.length === 1) return only
  // The sets do not overlap, so their first characters identify them.
  const key = sets.map((set) => set[0]?.[0]).join(' ')
  const found = unions.get(key) ?? union(...sets)
  unions.set(key, found)
  return found
}

/**
 * Returns the machine for those of its texts that keep to the lengths. If that needs more than `maxStates` states, only
 * shorter ones are allowed.
 */
export function withLengths(machine: Automaton, lengths: Lengths, maxStates: number): Automaton | 'empty' | 'large' {
  const { least, most } = lengths
  const range = lengthsOf(machine)
  if (range.least >= least && range.most <= (most ?? Number.POSITIVE_INFINITY)) return machine
  const whole = counted(machine, lengths, maxStates)
  if (whole !== 'large' || most === undefined) return whole
  const shorter = Math.floor(maxStates / machine.states.length)
  return shorter < least || shorter >= most ? 'large' : counted(machine, { least, most: shorter }, maxStates)
}

/** Splits each state by the lengths that must be distinguished. */
function counted(machine: Automaton, { least, most }: Lengths, maxStates: number): Automaton | 'empty' | 'large' {
  const indexes = new Map([['0 0', 0]])
  const open: (readonly [state: number, length: number])[] = [[0, 0]]
  const states: RawState[] = []
  for (const [at, length] of open) {
    if (open.length > maxStates) return 'large'
    const state = machine.states[at]
    const next = new Map<number, readonly CharSet[]>()
    const longer = most === undefined ? Math.min(length + 1, least) : length + 1
    for (const { set, to } of (most === undefined || length < most ? state?.next : undefined) ?? []) {
      const key = `${to} ${longer}`
      const index = indexes.get(key) ?? open.length
      if (index === open.length) {
        indexes.set(key, index)
        open.push([to, longer])
      }
      next.set(index, [set])
    }
    states.push({ isEnd: state?.isEnd === true && length >= least, next })
  }
  return trimmed(states)
}

/** Returns the fewest and the most characters of the machine's texts. */
function lengthsOf({ states }: Automaton): { readonly least: number; readonly most: number } {
  let reached = new Set([0])
  let least = Number.POSITIVE_INFINITY
  for (let length = 0; length <= states.length; length++) {
    const next = new Set<number>()
    for (const index of reached) {
      if (states[index]?.isEnd === true) least = Math.min(least, length)
      for (const { to } of states[index]?.next ?? []) next.add(to)
    }
    if (next.size === 0) return { least, most: length }
    reached = next
  }
  return { least, most: Number.POSITIVE_INFINITY }
}

/** Returns for each state whether it leads to an end. */
function usefulStates(states: readonly RawState[]): boolean[] {
  const before: number[][] = states.map(() => [])
  for (const [from, { next }] of states.entries()) for (const to of next.keys()) before[to]?.push(from)
  const isUseful = states.map(({ isEnd }) => isEnd)
  const open = states.flatMap(({ isEnd }, index) => (isEnd ? [index] : []))
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    for (const from of before[index] ?? []) {
      if (isUseful[from] === true) continue
      isUseful[from] = true
      open.push(from)
    }
  }
  return isUseful
}

/** Most ranges of a set that is written inline; a larger set becomes a rule. */
const largestInline = 4

/** Returns the approximate number of rules, and alternatives within them, in the machine's grammar. */
export function sizeOf({ states }: Automaton): number {
  const large = new Set<CharSet>()
  let size = states.length
  for (const { next } of states) {
    size += next.length
    for (const { set } of next) if (set.length > largestInline) large.add(set)
  }
  for (const set of large) size += set.length
  return size
}

/**
 * Returns GBNF for a JSON string that the machine accepts: the rule `name`, one rule per state, and one per large set.
 */
export function automatonRules(name: string, { states }: Automaton): string[] {
  const rules = [`${name} ::= "\\"" ${name}-0`]
  const forms = new Map<CharSet, readonly string[]>()
  const formsIn = (set: CharSet): readonly string[] => {
    const known = forms.get(set)
    if (known !== undefined) return known
    const isLarge = set.length > largestInline
    const written = isLarge ? [`${name}-set-${forms.size}`] : formsOf(set)
    if (isLarge) rules.push(`${written[0]} ::= ${formsOf(set).join(' | ')}`)
    forms.set(set, written)
    return written
  }
  states.forEach(({ isEnd, next }, index) => {
    const ways = next.flatMap(({ set, to }) => formsIn(set).map((form) => `${form} ${name}-${to}`))
    if (isEnd) ways.push('"\\""')
    if (ways.length > 0) rules.push(`${name}-${index} ::= ${ways.join(' | ')}`)
  })
  return rules
}

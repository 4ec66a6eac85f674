import { type PatternNode, PatternProblem } from './pattern-node.ts'
import type { Regular, Regulars } from './regular.ts'

/**
 * Returns the expression for texts that contain a match of the pattern. Throws PatternProblem for a pattern without an
 * equivalent.
 */
export function searchedText(pattern: PatternNode, regulars: Regulars): Regular {
  const { character, anything } = regulars
  const later = regulars.sequence(regulars.repeat(character, 1, Number.POSITIVE_INFINITY), found(false))
  return regulars.any(found(true), later)

  function found(isAtStart: boolean): Regular {
    return followed(pattern, anything, { regulars, isAtStart })
  }
}

interface Context {
  readonly regulars: Regulars
  /** True if nothing precedes. */
  readonly isAtStart: boolean
}

/** Returns the expression for the pattern followed by `rest`, which lookaheads apply to. */
function followed(node: PatternNode, rest: Regular, context: Context): Regular {
  const { regulars, isAtStart } = context
  switch (node.kind) {
    case 'set':
      return regulars.sequence(regulars.set(node.set), rest)
    case 'anchor':
      if (node.at === 'start') return isAtStart ? rest : regulars.never
      return rest.isNullable ? regulars.empty : regulars.never
    case 'look': {
      const ahead = followed(node.ahead, regulars.anything, context)
      return regulars.all(node.isNegative ? regulars.not(ahead) : ahead, rest)
    }
    case 'choice':
      return regulars.any(...node.options.map((option) => followed(option, rest, context)))
    case 'sequence': {
      let behind = rest
      for (let index = node.items.length - 1; index >= 0; index--) {
        const item = node.items[index]
        if (item === undefined) continue
        const isFirst = isAtStart && node.items.slice(0, index).every(isWidthless)
        behind = followed(item, behind, { regulars, isAtStart: isFirst })
      }
      return behind
    }
    case 'repeat': {
      const { item, least, most } = node
      if (!looksAround(item)) {
        const alone = followed(item, regulars.empty, context)
        return regulars.sequence(regulars.repeat(alone, least, most), rest)
      }
      if (most > 1) throw new PatternProblem('it repeats what looks around')
      const once = followed(item, rest, context)
      return least === 1 ? once : regulars.any(once, rest)
    }
  }
}

function isWidthless(node: PatternNode): boolean {
  if (node.kind === 'anchor' || node.kind === 'look') return true
  if (node.kind === 'sequence') return node.items.every(isWidthless)
  return node.kind === 'choice' && node.options.every(isWidthless)
}

function looksAround(node: PatternNode): boolean {
  switch (node.kind) {
    case 'set':
      return false
    case 'anchor':
    case 'look':
      return true
    case 'sequence':
      return node.items.some(looksAround)
    case 'choice':
      return node.options.some(looksAround)
    case 'repeat':
      return looksAround(node.item)
  }
}

import type { CharSet } from './char-set.ts'

/** A regular expression as far as a grammar can hold it. */
export type PatternNode =
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly item: PatternNode; readonly least: number; readonly most: number }
  /** `^` or `$`. */
  | { readonly kind: 'anchor'; readonly at: 'start' | 'end' }

/** What is said of an expression that no grammar can hold, or that is none. */
export class PatternProblem extends Error {}

/** How many characters a string that fits may have. */
export function lengthRange(node: PatternNode): { readonly least: number; readonly most: number } {
  switch (node.kind) {
    case 'set':
      return { least: 1, most: 1 }
    case 'anchor':
      return { least: 0, most: 0 }
    case 'sequence': {
      const ranges = node.items.map(lengthRange)
      return { least: sum(ranges.map(({ least }) => least)), most: sum(ranges.map(({ most }) => most)) }
    }
    case 'choice': {
      const ranges = node.options.map(lengthRange)
      return { least: Math.min(...ranges.map(({ least }) => least)), most: Math.max(...ranges.map(({ most }) => most)) }
    }
    case 'repeat': {
      const { least, most } = lengthRange(node.item)
      return { least: least * node.least, most: most === 0 || node.most === 0 ? 0 : most * node.most }
    }
  }
}

/** How many rules the converter makes of the expression, about: repetitions in repetitions multiply. */
export function repetitionsOf(node: PatternNode): number {
  switch (node.kind) {
    case 'set':
    case 'anchor':
      return 1
    case 'sequence':
      return sum(node.items.map(repetitionsOf))
    case 'choice':
      return sum(node.options.map(repetitionsOf))
    case 'repeat': {
      const times = Number.isFinite(node.most) ? node.most : node.least + 1
      return repetitionsOf(node.item) * Math.max(1, times)
    }
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

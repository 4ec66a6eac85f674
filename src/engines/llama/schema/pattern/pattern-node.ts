import type { CharSet } from './char-set.ts'

/** Regular expression, without the parts that no grammar can express. */
export type PatternNode =
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly item: PatternNode; readonly least: number; readonly most: number }
  /** `^` or `$`. */
  | { readonly kind: 'anchor'; readonly at: 'start' | 'end' }
  /** `(?=…)` or `(?!…)`. */
  | { readonly kind: 'look'; readonly ahead: PatternNode; readonly isNegative: boolean }

/** Thrown for a pattern that no grammar can enforce, or that is invalid. */
export class PatternProblem extends Error {}

/** Returns the minimum and maximum characters of a matching string. */
export function lengthRange(node: PatternNode): { readonly least: number; readonly most: number } {
  switch (node.kind) {
    case 'set':
      return { least: 1, most: 1 }
    case 'anchor':
    case 'look':
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

/** Returns the approximate number of rules that a grammar needs for the expression: nested repetitions multiply. */
export function repetitionsOf(node: PatternNode): number {
  switch (node.kind) {
    case 'set':
    case 'anchor':
    case 'look':
      return 1
    case 'sequence':
      return sum(node.items.map(repetitionsOf))
    case 'choice':
      return sum(node.options.map(repetitionsOf))
    case 'repeat': {
      const times = Number.isFinite(node.most) ? node.most : node.least + 1
      return repetitionsOf(node.item) * Math.max(1, Math.min(times, maxSharedRules))
    }
  }
}

/** Maximum rules of one count, however large: `shared-counts.ts` shares them. */
const maxSharedRules = 400

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

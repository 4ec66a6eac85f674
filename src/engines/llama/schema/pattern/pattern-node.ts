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

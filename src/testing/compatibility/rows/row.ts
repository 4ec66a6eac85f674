/**
 * Rows of docs/reference/fields.md, from which `bun run docs` makes the page. A test compares each with the parsers.
 */

/**
 * `supported`: has an effect. `ignored`: accepted without effect on the answer. `refused`: 400 that names the field,
 * since the answer would differ from the request.
 */
export type Verdict = 'supported' | 'ignored' | 'refused'

export interface FieldRow {
  /** Names of fields, types or forms; `*` stands for any ending. */
  readonly names: readonly string[]
  readonly verdict: Verdict
  /** Remark in Markdown. Empty if there is nothing to add. */
  readonly remark: string
}

export interface Chapter {
  /** Path and origin of the dialect, in Markdown. */
  readonly sentence: string
  /** Rows by the heading of their table. */
  readonly tables: Readonly<Record<string, readonly FieldRow[]>>
}

/** Chapters by dialect. */
export type Chapters = Readonly<Record<string, Chapter>>

type MakeRow = (names: string | readonly string[], remark?: string) => FieldRow

const rowOf =
  (verdict: Verdict): MakeRow =>
  (names, remark = '') => ({ names: typeof names === 'string' ? [names] : names, verdict, remark })

export const supported = rowOf('supported')
export const ignored = rowOf('ignored')
export const refused = rowOf('refused')

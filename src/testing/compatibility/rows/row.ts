/** Rows of docs/reference/fields.md, from which `bun run docs` makes the page. A test holds each to the parsers. */

/**
 * `supported`: has an effect. `ignored`: accepted, and changes nothing about the answer. `refused`: 400 that names the field, since
 * the answer would be another one than was asked for.
 */
export type Verdict = 'supported' | 'ignored' | 'refused'

export interface FieldRow {
  /** Fields, types or forms; `*` stands for any ending. */
  readonly names: readonly string[]
  readonly verdict: Verdict
  /** In Markdown; empty where there is nothing to add. */
  readonly remark: string
}

export interface Chapter {
  /** Path and origin of the dialect, in Markdown. */
  readonly sentence: string
  /** By heading. */
  readonly tables: Readonly<Record<string, readonly FieldRow[]>>
}

/** By dialect. */
export type Chapters = Readonly<Record<string, Chapter>>

type MakeRow = (names: string | readonly string[], remark?: string) => FieldRow

const rowOf =
  (verdict: Verdict): MakeRow =>
  (names, remark = '') => ({ names: typeof names === 'string' ? [names] : names, verdict, remark })

export const supported = rowOf('supported')
export const ignored = rowOf('ignored')
export const refused = rowOf('refused')

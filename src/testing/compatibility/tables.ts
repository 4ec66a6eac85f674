import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface CompatibilityRow {
  /** Headings above the table, e.g. `chat/completions: Request fields`. */
  readonly section: string
  /** A field, a type or a request; `*` stands for any ending. */
  readonly name: string
  /** What the second column says: `supported`, `ignored`, `refused`, or a status. */
  readonly verdict: string
}

/** All rows of the tables in docs/compatibility.md, one for each name in their first column. */
export function compatibilityRows(): CompatibilityRow[] {
  const text = readFileSync(join(import.meta.dir, '../../../docs/compatibility.md'), 'utf8')
  const rows: CompatibilityRow[] = []
  let chapter = ''
  let section = ''
  for (const line of text.split('\n')) {
    const heading = /^(##+) (.*)$/.exec(line)
    if (heading !== null) {
      chapter = heading[1] === '##' ? (heading[2] ?? '') : chapter
      section = heading[1] === '##' ? chapter : `${chapter}: ${heading[2]}`
    }
    const [, names, verdict = ''] = line.split('|').map((cell) => cell.trim())
    if (names === undefined || !names.startsWith('`')) continue
    for (const [, name = ''] of names.matchAll(/`([^`]+)`/g)) rows.push({ section, name, verdict })
  }
  return rows
}

/** Whether a row's name stands for this one. */
export function standsFor(rowName: string, name: string): boolean {
  return rowName.endsWith('*') ? name.startsWith(rowName.slice(0, -1)) : rowName === name
}

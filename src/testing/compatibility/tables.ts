import { chatRows } from './rows/chat.ts'
import { imagesRows } from './rows/images.ts'
import { messagesRows } from './rows/messages.ts'
import { moderationsRows } from './rows/moderations.ts'
import { ollamaRows } from './rows/ollama.ts'
import { promptRows } from './rows/prompts.ts'
import { responsesRows } from './rows/responses.ts'
import type { Chapters, Verdict } from './rows/row.ts'
import { speechRows } from './rows/speech.ts'
import { textsRows } from './rows/texts.ts'
import { tokensRows } from './rows/tokens.ts'

export interface CompatibilityRow {
  /** Headings above the table, such as `chat/completions: Request fields`. */
  readonly section: string
  /** Name of a field, type or form; `*` stands for any ending. */
  readonly name: string
  readonly verdict: Verdict
}

/** Fields of requests by dialect, in the order of docs/reference/fields.md. */
export const chapters: Chapters = {
  ...chatRows,
  ...promptRows,
  ...responsesRows,
  ...messagesRows,
  ...tokensRows,
  ...textsRows,
  ...moderationsRows,
  ...imagesRows,
  ...speechRows,
  ...ollamaRows,
}

/** Rows of all tables, one per name. */
export const compatibilityRows: readonly CompatibilityRow[] = Object.entries(chapters).flatMap(
  ([dialect, { tables }]) =>
    Object.entries(tables).flatMap(([heading, rows]) =>
      rows.flatMap(({ names, verdict }) => names.map((name) => ({ section: `${dialect}: ${heading}`, name, verdict }))),
    ),
)

/** Returns whether a row's name, which may end in `*`, includes this name. */
export function standsFor(rowName: string, name: string): boolean {
  return rowName.endsWith('*') ? name.startsWith(rowName.slice(0, -1)) : rowName === name
}

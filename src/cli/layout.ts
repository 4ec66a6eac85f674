/**
 * Layout of texts for a terminal or a pipe. Commands mark cells and emphasis with noncharacters of Unicode; columns,
 * widths and colours are decided here, where the output is known.
 */

const marks = { cell: '\ufdd2', begin: '\ufdd0', end: '\ufdd1', spare: '\ufdd3' } as const

interface Screen {
  /** Width in columns. Undefined without a terminal: then lines are not wrapped. */
  readonly width: number | undefined
  /** Emphasis is shown. */
  readonly isStyled: boolean
}

export function emphasised(text: string): string {
  return `${marks.begin}${text}${marks.end}`
}

/** Returns a line of a table. A table is lines that follow one another; narrow terminals go without the last `spare` columns. */
export function tableLine(cells: readonly string[], spare = 0): string {
  const plain = cells.map((cell) => cell.replaceAll(/[\ufdd0-\ufdd3]/g, ''))
  const marked = plain.map((cell, column) => (column < cells.length - spare ? cell : `${cell}${marks.spare}`))
  return `${marked.join(marks.cell)}${marks.cell}\n`
}

/** Returns whether to use colours by NO_COLOR and FORCE_COLOR; the latter wins. */
export function isStyled(
  environment: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean | undefined,
): boolean {
  const { FORCE_COLOR: forced = '', NO_COLOR: unwanted = '', TERM: terminal } = environment
  if (forced !== '') return forced !== '0' && forced !== 'false'
  return isTerminal === true && unwanted === '' && terminal !== 'dumb'
}

/** Returns each text in lines of at most `width` columns, broken between words; in one line without a terminal. */
export function wrapWords(texts: readonly string[], width: number | undefined): string {
  return texts.map((text) => `${wordLines(text, width ?? Number.POSITIVE_INFINITY).join('\n')}\n`).join('')
}

/** Returns a text in lines of whole words. Lines after the first are indented. */
function wordLines(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`
    if (lines.length > 0 && Bun.stringWidth(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(lines.length === 0 ? word : `${gap}${word}`)
  }
  return lines
}

export function layOut(text: string, { width, isStyled: styled }: Screen): string {
  // Looked for at the beginnings of lines alone: a vector is a line of thousands of characters.
  const laidOut = text.replace(/(?:^[^\n]*\ufdd2\n)+/gm, (table) => layOutTable(table, width))
  const [begin, end] = styled ? ['\u001b[1m', '\u001b[0m'] : ['', '']
  return laidOut.replaceAll(marks.begin, begin).replaceAll(marks.end, end)
}

const gap = '  '
/** Least width of a shortened column. */
const leastColumns = 10

function layOutTable(table: string, width: number | undefined): string {
  const rows = table
    .trimEnd()
    .split('\n')
    .map((line) => line.split(marks.cell).slice(0, -1))
  const [marked = [], ...others] = rows
  const spare = marked.filter((cell) => cell.endsWith(marks.spare)).length
  const head = marked.map((cell) => cell.replace(marks.spare, ''))
  const shown = [head, ...others]
  const needed = head.map((_, column) => Math.max(...shown.map((row) => Bun.stringWidth(row[column] ?? ''))))
  const fitted = width === undefined ? needed : fitSome(needed, head, { width, spare })
  if (fitted === undefined) return others.map((row) => record(head, row, width ?? 0)).join('\n')
  const lines = shown.map((row, index) => {
    const line = row
      .slice(0, fitted.length)
      .map((cell, column) => pad(cut(cell, fitted[column] ?? 0), fitted[column] ?? 0))
      .join(gap)
    return index === 0 ? emphasised(line.trimEnd()) : line.trimEnd()
  })
  const leftOut = head.slice(fitted.length)
  return `${lines.join('\n')}\n${leftOut.length === 0 ? '' : leftOutText(leftOut)}`
}

function leftOutText(heads: readonly string[]): string {
  return `\nNo room for ${heads.join(', ')}: a wider terminal, a pipe and --json have all.\n`
}

/**
 * Returns the widths of the columns that fit. Spare columns may be missing at the end. Undefined if the others do not
 * fit.
 */
function fitSome(
  needed: readonly number[],
  head: readonly string[],
  { width, spare }: { readonly width: number; readonly spare: number },
): number[] | undefined {
  const tries = Array.from({ length: spare + 1 }, (_, missing) => needed.slice(0, needed.length - missing))
  return tries.map((columns) => fitColumns(columns, head, width)).find((fitted) => fitted !== undefined)
}

/** Shrinks the widest columns except the first, which names the row. Undefined if the table still does not fit. */
function fitColumns(needed: readonly number[], head: readonly string[], width: number): number[] | undefined {
  const least = needed.map((columns, index) =>
    index === 0 ? columns : Math.min(columns, Math.max(leastColumns, Bun.stringWidth(head[index] ?? ''))),
  )
  const total = (columns: readonly number[]) =>
    columns.reduce((sum, each) => sum + each, gap.length * (columns.length - 1))
  if (total(least) > width) return undefined
  const fitted = [...needed]
  while (total(fitted) > width) {
    const spare = fitted.map((columns, index) => (columns > (least[index] ?? 0) ? columns : 0))
    const widest = spare.indexOf(Math.max(...spare))
    fitted[widest] = (fitted[widest] ?? 0) - 1
  }
  return fitted
}

/** Returns a row with one cell per line, for columns that do not fit beside each other. */
function record(head: readonly string[], row: readonly string[], width: number): string {
  const labels = Math.max(...head.map((each) => Bun.stringWidth(each)))
  const room = Math.max(width - labels - gap.length, leastColumns)
  return head
    .map((label, column) => {
      const [first = '', ...more] = wrap(row[column] ?? '', room)
      const below = more.map((part) => `${' '.repeat(labels)}${gap}${part}\n`)
      return `${emphasised(pad(label, labels))}${gap}${first}`.trimEnd().concat('\n', ...below)
    })
    .join('')
}

function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(columns - Bun.stringWidth(text), 0))
}

function cut(text: string, columns: number): string {
  return Bun.stringWidth(text) <= columns ? text : `${wrap(text, columns - 1)[0]}…`
}

const segmenter = new Intl.Segmenter()

/** Returns pieces of at most `columns` columns. */
function wrap(text: string, columns: number): string[] {
  const pieces = ['']
  for (const { segment } of segmenter.segment(text)) {
    const last = pieces.at(-1) ?? ''
    if (Bun.stringWidth(last + segment) <= columns) pieces[pieces.length - 1] = last + segment
    else pieces.push(segment)
  }
  return pieces
}

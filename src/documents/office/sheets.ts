import { type DocumentPage, requireShort } from '../document-pages.ts'
import { dateStyles, dateText } from './dates.ts'
import type { OfficeParts } from './unpack.ts'
import { attribute, readXml } from './xml.ts'

/** Rows of a sheet that are read. The text says how many follow. */
const rowsLimit = 1000

/** Columns of a sheet, as Excel has. */
const columnsLimit = 16_384

/** Characters of a sheet's name that are shown. Excel allows 31. */
const nameLength = 100

/** Yields the sheets of a workbook as CSV. Throws Unreadable. */
export function* readSheets(parts: OfficeParts): Generator<DocumentPage> {
  const targets = targetsOf(parts.read('xl/_rels/workbook.xml.rels'))
  const book = {
    texts: sharedTexts(parts.read('xl/sharedStrings.xml')),
    dates: dateStyles(parts.read('xl/styles.xml')),
  }
  for (const token of readXml(parts.read('xl/workbook.xml'))) {
    if (token.type !== 'open' || token.name !== 'sheet') continue
    const target = targets.get(attribute(token.attributes, 'id')) ?? ''
    const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`
    const name = attribute(token.attributes, 'name').slice(0, nameLength).toWellFormed()
    yield { label: `sheet ${name}`, text: csvOf(parts.read(path), book) }
  }
}

interface Book {
  /** Texts to which cells refer by index. */
  readonly texts: readonly string[]
  /** True for each style that shows numbers as dates. */
  readonly dates: readonly boolean[]
}

function targetsOf(xml: string): Map<string, string> {
  const targets = new Map<string, string>()
  for (const token of readXml(xml)) {
    if (token.type !== 'open' || token.name !== 'Relationship') continue
    targets.set(attribute(token.attributes, 'Id'), attribute(token.attributes, 'Target'))
  }
  return targets
}

function sharedTexts(xml: string): string[] {
  const texts: string[] = []
  let pieces: string[] = []
  let isText = false
  let isPhonetic = false
  for (const token of readXml(xml)) {
    if (token.type === 'text') {
      if (isText && !isPhonetic) pieces.push(token.text)
    } else if (token.type === 'open') {
      if (token.name === 't') isText = !token.isEmpty
      if (token.name === 'rPh') isPhonetic = !token.isEmpty
      if (token.name === 'si' && token.isEmpty) texts.push('')
    } else {
      if (token.name === 't') isText = false
      if (token.name === 'rPh') isPhonetic = false
      if (token.name !== 'si') continue
      texts.push(pieces.join(''))
      pieces = []
    }
  }
  return texts
}

/** Parts of a cell by the names of their elements. */
const fields = new Map<string, 'value' | 'formula'>([
  ['v', 'value'],
  ['t', 'value'],
  ['f', 'formula'],
])

interface Cell {
  readonly attributes: string
  readonly value: string
  readonly formula: string
}

/** Returns the rows of a sheet. Empty rows between others are left out, and cells stand in their columns. */
function csvOf(xml: string, book: Book): string {
  const lines: string[] = []
  let rows = 0
  let characters = 0
  let cells: string[] = []
  let cell = { attributes: '', value: '', formula: '' }
  let field: 'value' | 'formula' | undefined
  for (const token of readXml(xml)) {
    if (token.type === 'text') {
      if (field === undefined) continue
      cell[field] += token.text
      requireShort(cell[field].length)
    } else if (token.type === 'open') {
      if (token.name === 'c') cell = { attributes: token.attributes, value: '', formula: '' }
      if (!token.isEmpty) field = fields.get(token.name) ?? field
    } else if (fields.has(token.name)) field = undefined
    else if (token.name === 'c') {
      const column = columnOf(attribute(cell.attributes, 'r')) ?? cells.length
      const text = shown(cell, book)
      if (column < columnsLimit && text !== '' && rows < rowsLimit) {
        // Many cells may refer to the same long text.
        characters += text.length
        requireShort(characters)
        while (cells.length < column) cells.push('')
        cells[column] = text
      }
    } else if (token.name === 'row') {
      if (cells.length > 0) lines.push(cells.map(toCsv).join(','))
      cells = []
      rows++
    }
  }
  return [...lines, ...(rows > rowsLimit ? [`[${rows - rowsLimit} further rows are left out]`] : [])].join('\n')
}

/** Returns the column of a reference such as `AB12`, from 0. Undefined without one. */
function columnOf(reference: string): number | undefined {
  const [letters] = /^[A-Z]{1,3}/.exec(reference) ?? []
  if (letters === undefined) return undefined
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

/** Returns the value of a cell as a reader sees it, or its formula if no program has stored a result. */
function shown({ attributes, value, formula }: Cell, { texts, dates }: Book): string {
  const type = attribute(attributes, 't')
  if (value === '') return formula === '' || type === 'str' ? '' : `=${formula}`
  if (type === 's') return texts[Number(value)] ?? ''
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  if (type !== '' && type !== 'n') return value
  return dates[Number(attribute(attributes, 's') || 0)] === true ? dateText(Number(value)) : value
}

function toCsv(value: string | undefined): string {
  const text = value ?? ''
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

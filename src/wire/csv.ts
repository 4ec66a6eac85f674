/** CSV by RFC 4180. No spreadsheet, in any language and however it opens the file, takes a cell for a formula. */

type Cell = string | number | null

/** Returns a line of CSV. Amounts are numbers; other text gets an apostrophe wherever a formula could begin. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

function toCell(value: Cell): string {
  const text = String(value ?? '')
  const safe = typeof value === 'string' && !/^-?\d+(\.\d+)?$/.test(text) ? withoutFormulas(text) : text
  return /[",;|\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Characters that begin a formula, including wide, small, raised and lowered forms, which some spreadsheets convert */
const signs =
  '=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u207c\u207a\u207b\u208c\u208a\u208b\u2212\ufb29\u2a75\u2a76'
/**
 * Characters that separate cells in some languages or dialogs, wide forms included. The plain comma is missing
 * because text with one is quoted.
 */
const separators = ';|\\t\\r\\n\uff1b\u037e\ufe14\ufe54\uff5c\uff0c\ufe10\ufe50'
/** Characters that may precede a formula because they are invisible or dropped */
const skipped = '[\\s"\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\u2800]*'
const formula = new RegExp(`(^|[${separators}])(?=${skipped}[${signs}]|[\\t\\r])`, 'gu')

function withoutFormulas(text: string): string {
  return text.replace(formula, "$1'")
}

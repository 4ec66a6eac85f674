/** CSV by RFC 4180 that no spreadsheet takes for formulas, in any language and however it is opened. */

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

/** Begins a formula, also where a spreadsheet folds wide, small, raised and lowered forms. */
const signs =
  '=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u207c\u207a\u207b\u208c\u208a\u208b\u2212\ufb29\u2a75\u2a76'
/** Separates cells in some languages or dialogs, wide forms included. The narrow comma does so here: what has one is quoted. */
const separators = ';|\\t\\r\\n\uff1b\u037e\ufe14\ufe54\uff5c\uff0c\ufe10\ufe50'
/** May stand before a formula without being seen, or be dropped. */
const skipped = '[\\s"\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\u2800]*'
const formula = new RegExp(`(^|[${separators}])(?=${skipped}[${signs}]|[\\t\\r])`, 'gu')

function withoutFormulas(text: string): string {
  return text.replace(formula, "$1'")
}

/**
 * Returns a CSV cell like the server's (`src/wire/csv.ts`, of which the pages load nothing; a test compares the two).
 */
export function csvCell(text: string): string {
  const safe = /^-?\d+(\.\d+)?$/.test(text) ? text : text.replace(formula, "$1'")
  return /[",;|\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Places where a spreadsheet may begin a formula: before signs of all widths, with or without characters that are not seen. */
const signs =
  '=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u207c\u207a\u207b\u208c\u208a\u208b\u2212\ufb29\u2a75\u2a76'
const separators = ';|\\t\\r\\n\uff1b\u037e\ufe14\ufe54\uff5c\uff0c\ufe10\ufe50'
const skipped = '[\\s"\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\u2800]*'
const formula = new RegExp(`(^|[${separators}])(?=${skipped}[${signs}]|[\\t\\r])`, 'gu')

/** Characters that hide what a text is: control characters, marks that reorder text, and blanks without width. */

/**
 * Ranges for a character class of a pattern without flags. Tab, line end, and the joiners and selectors that emoji and
 * some scripts need are left out.
 */
const misleading =
  '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e' +
  '\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb'
/** Invisible characters above the basic plane, as surrogate pairs: of musical notation and shorthand, and tags. */
const misleadingPairs =
  '\\ud834[\\udd59\\udd73-\\udd7a]|\\ud82f[\\udca0-\\udca3]|\\udb40[\\udc00-\\udcff\\uddf0-\\udfff]'

/** CRLF stays, since CSV ends its lines by it. */
const shownAsEscapes = new RegExp(`[${misleading}]|${misleadingPairs}|\\r(?!\\n)`, 'g')

/**
 * Returns any text in a form safe for a terminal: misleading characters become JSON escapes such as `\u001b`, so that
 * JSON text keeps its meaning. For code that prints: the command line and the log.
 */
export function printable(text: string): string {
  return text.replace(shownAsEscapes, escaped)
}

/** Returns safe text on one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\t\r\n]/g, escaped)
}

/** Returns a name for storage, without misleading or invisible characters. */
export function keptName(text: string): string {
  return text.replace(shownAsEscapes, '').trim().normalize('NFC')
}

function escaped(characters: string): string {
  return Array.from({ length: characters.length }, (_, index) => {
    return `\\u${characters.charCodeAt(index).toString(16).padStart(4, '0')}`
  }).join('')
}

/** Characters that are invisible if they stand alone: blanks, joiners, selectors, accents, private and broken ones. */
const unseen =
  `\\s${misleading}\\u0009\\u000a\\u000d\\u0300-\\u036f\\u034f\\u17b4\\u17b5\\u180b-\\u180f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u200c\\u200d` +
  '\\u20d0-\\u20ff\\u2800\\ud800-\\udfff\\ue000-\\uf8ff\\ufe00-\\ufe0f\\ufe20-\\ufe2f\\ufff0-\\uffff'
/** Character above the basic plane, except tags, selectors and private ones. */
const seenPair = `(?!${misleadingPairs})[\\ud800-\\udb3f][\\udc00-\\udfff]`

/** JSON Schema pattern, which has no flags, of text on one line with a visible character. */
export const visibleLinePattern = `^(?=.*(?:[^${unseen}]|${seenPair}))[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$`

const unseenOnly = new RegExp(`${seenPair}|[${unseen}]`, 'g')

/** Returns text without invisible characters, except blanks between others. */
export function withoutUnseen(text: string): string {
  const isBlank = (character: string) => /^[\s\u2800]$/.test(character)
  return text
    .replace(unseenOnly, (found) => (found.length > 1 || isBlank(found) ? found : ''))
    .replace(/^[\s\u2800]+|[\s\u2800]+$/g, '')
}

/** Characters of any origin that do not show what they are: control characters, marks that reorder text, and blanks without a width. */

/**
 * Ranges for the character class of a pattern without flags. Joiners and selectors, which emoji and some scripts need, are not in it;
 * tab and line end neither.
 */
const misleading =
  '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e' +
  '\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb'
/** Invisible ones above the basic plane, as halves of their pairs: of musical notation and shorthand, and tags. */
const misleadingPairs =
  '\\ud834[\\udd59\\udd73-\\udd7a]|\\ud82f[\\udca0-\\udca3]|\\udb40[\\udc00-\\udcff\\uddf0-\\udfff]'

/** CSV ends its lines by CRLF. */
const shownAsEscapes = new RegExp(`[${misleading}]|${misleadingPairs}|\\r(?!\\n)`, 'g')

/**
 * Returns text of any origin in a form safe for a terminal: misleading characters as the escapes of JSON, `\u001b`. In
 * JSON text they stay the same characters. For the edges that print: the command line and the log.
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

/** Characters that are invisible alone: blanks, joiners, selectors, accents, private and broken ones. */
const unseen =
  `\\s${misleading}\\u0009\\u000a\\u000d\\u0300-\\u036f\\u034f\\u17b4\\u17b5\\u180b-\\u180f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u200c\\u200d` +
  '\\u20d0-\\u20ff\\u2800\\ud800-\\udfff\\ue000-\\uf8ff\\ufe00-\\ufe0f\\ufe20-\\ufe2f\\ufff0-\\uffff'
/** A character above the basic plane, without the plane of tags and selectors and the private ones. */
const seenPair = `(?!${misleadingPairs})[\\ud800-\\udb3f][\\udc00-\\udfff]`

/** Text on one line with a visible character, as the pattern of a schema, which has no flags. */
export const visibleLinePattern = `^(?=.*(?:[^${unseen}]|${seenPair}))[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$`

const unseenOnly = new RegExp(`${seenPair}|[${unseen}]`, 'g')

/** Returns text without invisible characters, except blanks between others. */
export function withoutUnseen(text: string): string {
  const isBlank = (character: string) => /^[\s\u2800]$/.test(character)
  return text
    .replace(unseenOnly, (found) => (found.length > 1 || isBlank(found) ? found : ''))
    .replace(/^[\s\u2800]+|[\s\u2800]+$/g, '')
}

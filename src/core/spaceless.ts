/** Scripts without spaces between words. */

const letter =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ーｰ\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]'
const signs = '[\\p{P}\\p{S}\\p{M}]*'

export const spacelessLetter = new RegExp(letter, 'u')
const atEnd = new RegExp(`${letter}${signs}$`, 'u')
const atStart = new RegExp(`^${signs}${letter}`, 'u')

/**
 * Returns the separator of two texts: a space, or nothing if both have such a script where they meet, or if one is
 * empty.
 */
export function spaceBetween(before: string, after: string): string {
  if (before === '' || after === '') return ''
  return atEnd.test(before) && atStart.test(after) ? '' : ' '
}

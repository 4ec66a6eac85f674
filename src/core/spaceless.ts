/** Scripts that put no spaces between words. */

const letter =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ーｰ\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]'
const signs = '[\\p{P}\\p{S}\\p{M}]*'

export const spacelessLetter = new RegExp(letter, 'u')
const atEnd = new RegExp(`${letter}${signs}$`, 'u')
const atStart = new RegExp(`^${signs}${letter}`, 'u')

/** What stands between two texts: a space, unless both are of such a script there. Nothing where one is empty. */
export function spaceBetween(before: string, after: string): string {
  if (before === '' || after === '') return ''
  return atEnd.test(before) && atStart.test(after) ? '' : ' '
}

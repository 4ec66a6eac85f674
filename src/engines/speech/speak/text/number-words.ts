/** Numbers as English words, without hyphens, which models would read as pauses. */
import { toCardinal, toOrdinal } from 'n2words/en-US'

/** Most digits of a number that is read as a number. Longer ones are codes, and read digit by digit. */
const longestCounted = 15

/**
 * Returns words: `1,234.50` -> one thousand two hundred thirty four point five zero. Takes digits, commas between them,
 * and one point.
 */
export function cardinal(number: string): string {
  const [whole = '', fraction] = number.replaceAll(',', '').split('.')
  const isCode = whole.length > longestCounted || /^0\d/.test(whole)
  const words = whole === '' ? 'zero' : isCode ? digits(whole) : spaced(toCardinal(whole))
  return fraction === undefined || fraction === '' ? words : `${words} point ${digits(fraction)}`
}

/** Returns words: `21` -> twenty first. Takes digits. */
export function ordinal(number: string): string {
  const digitsOnly = number.replaceAll(',', '')
  if (digitsOnly.length > longestCounted || /^0*$/.test(digitsOnly)) return `${cardinal(digitsOnly)}th`
  return spaced(toOrdinal(digitsOnly))
}

/** Returns words: `0420` -> zero four two zero. */
export function digits(number: string): string {
  return [...number].map((digit) => toCardinal(digit)).join(' ')
}

/** Returns words: `1984` -> nineteen eighty four. Takes four digits. */
export function year(number: string): string {
  const century = number.slice(0, 2)
  const rest = number.slice(2)
  if (/^.00/.test(number)) return spaced(toCardinal(number))
  if (rest === '00') return `${spaced(toCardinal(century))} hundred`
  return `${spaced(toCardinal(century))} ${rest.startsWith('0') ? `oh ${toCardinal(rest)}` : spaced(toCardinal(rest))}`
}

/** Returns words: `1990` -> nineteen nineties. Takes four digits, the last of which is 0. */
export function decade(number: string): string {
  const words = year(number)
  return words.endsWith('y') ? `${words.slice(0, -1)}ies` : `${words}s`
}

function spaced(words: string): string {
  return words.replaceAll('-', ' ')
}

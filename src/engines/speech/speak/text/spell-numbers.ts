/** English words for everything with digits: a table of number formats, the most specific first. */
import { cardinal, decade, digits, ordinal, year } from './number-words.ts'
import { currencies, units, wordsFor } from './units.ts'

type Rule = readonly [pattern: RegExp, say: (found: string, ...groups: (string | undefined)[]) => string]

const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
]
const anyMonth = months.join('|')
/** Lengths are bounded, so that no text takes long to match. */
const number = String.raw`\d{1,3}(?:,\d{3}){1,9}(?:\.\d{1,30})?|\d{1,30}(?:\.\d{1,30})?|(?<!\w)\.\d{1,30}`
const anyOf = (table: object) =>
  Object.keys(table)
    .sort((first, second) => second.length - first.length)
    .map((key) => key.replace(/[$°²³]/g, '\\$&'))
    .join('|')
const parts: Readonly<Record<string, string>> = { '½': 'one half', '¼': 'one quarter', '¾': 'three quarters' }
const large: Readonly<Record<string, string>> = {
  k: 'thousand',
  m: 'million',
  b: 'billion',
  bn: 'billion',
  t: 'trillion',
}

const rules: readonly Rule[] = [
  [/~ ?(?=[$€£]?\d)/g, () => 'about '],
  [/(\d ?)?([½¼¾])/g, (_, before, part = '') => `${before === undefined ? '' : `${before} and `}${parts[part]}`],
  // Ranges of numbers with any unit.
  [/(?<=\d ?(?:[%°¢$€£]|[ap]\.?m\.?)|[$€£][\d.,]{1,12})(?:-| ?– ?)(?=[$€£]?\d)/gi, () => ' to '],
  [/\b(\d{4})-(\d{2})-(\d{2})(?!\d)(?:T(?=\d))?/g, (found, y = '', m = '', d = '') => date(y, m, d) ?? found],
  [
    /\b(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})\b/g,
    (found, first = '', second = '', y = '') =>
      (Number(first) > 12 ? date(y, second, first) : date(y, first, second)) ?? found,
  ],
  [
    new RegExp(`\\b(${anyMonth}) (\\d{1,2})(?:st|nd|rd|th)?\\b(?!:)`, 'g'),
    (_, month, day = '') => `${month} ${ordinal(day)}`,
  ],
  [
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${anyMonth})\\b`, 'g'),
    (_, day = '', month) => `the ${ordinal(day)} of ${month}`,
  ],
  [
    /\b([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d))?(?:Z\b)?(?: ?(?:([ap])\.?m\b\.?|([ap])[ey]e em))?/gi,
    (_, h = '', m = '', s, before) => time(h, m, s, before),
  ],
  [/\b(1[0-2]|0?[1-9]) ?([ap])\.?m\b/gi, (_, h = '', half = '') => `${cardinal(String(Number(h)))} ${halfOfDay(half)}`],
  [
    new RegExp(`(-?)(US\\$|[$€£¥₹₿]) ?(${number})(?: ?(k|m|bn?|t|thousand|million|billion|trillion)\\b)?`, 'gi'),
    (_, minus, sign = '', amount = '', scale) => money(minus, sign, amount, scale),
  ],
  [
    new RegExp(`(?<![\\w.])(${number}) ?(US\\$|[$€£¥₹₿])(?!\\d)`, 'g'),
    (_, amount = '', sign = '') => money('', sign, amount, undefined),
  ],
  [new RegExp(`\\b(USD|EUR|GBP) ?(${number})`, 'g'), (_, code = '', amount = '') => money('', code, amount, undefined)],
  [
    new RegExp(`\\b(${number}) ?(USD|EUR|GBP)\\b`, 'g'),
    (_, amount = '', code = '') => money('', code, amount, undefined),
  ],
  [
    /(?<![\w.])\+\d{1,3}[ -]?(?:\(?\d{1,4}\)?[ -]?){2,5}(?!\w)|\(\d{3}\) ?\d{3}[ -]\d{4}\b|\b(?:\d{3}-){1,2}\d{4}\b|\b0\d{2,4}[ /-]\d{4,9}\b/g,
    (found) => `${found.startsWith('+') ? 'plus ' : ''}${(found.match(/\d+/g) ?? []).map(digits).join(', ')} `,
  ],
  [/(?<![\d.])\d{1,30}(?:\.\d{1,30}){2,9}(?!\w)/g, (found) => ` ${found.split('.').map(cardinal).join(' point ')}`],
  [/\b(1[1-9]\d\d|20\d\d) ?[-–—] ?(1[1-9]\d\d|20\d\d)\b/g, (_, from = '', to = '') => `${year(from)} to ${year(to)}`],
  [new RegExp(`\\b(${number})(?:-| ?– ?)(?=(?:${number})(?!\\w))`, 'g'), (_, from = '') => `${cardinal(from)} to `],
  [/\b(1\d\d0|20\d0)'?s\b/g, (_, found = '') => decade(found)],
  [/(?:(?<!\w)'|(?<=\bthe ))(\d0)s\b/gi, (_, found = '') => decade(`19${found}`).replace(/^nineteen /, '')],
  [/\b(\d[\d,]{0,20})(?:st|nd|rd|th)\b/gi, (_, found = '') => ordinal(found)],
  [
    new RegExp(`(?<![\\w.])(-?)(${number}) ?(${anyOf(units)})(?![\\p{L}\\d²³])`, 'gu'),
    (_, minus, amount = '', unit = '') =>
      `${sign(minus)}${cardinal(amount)} ${wordsFor(units[unit] ?? [unit, unit], amount)}`,
  ],
  [/\b24\/7\b/g, () => 'twenty four seven'],
  [/\b(\d{1,3})\/(\d{1,3})\b/g, (_, upper = '', lower = '') => fraction(upper, lower)],
  [/# ?(?=\d)/g, () => 'number '],
  [/(?<=\d) ?[×x] ?(?=\d)/g, () => ' by '],
  [/(?<=\d) ?\* ?(?=\d)/g, () => ' times '],
  [/(?<=\d) ?[÷] ?(?=\d)/g, () => ' divided by '],
  [/(?<=\d) - (?=\d)/g, () => ' minus '],
  [/(?<=\d):(?=\d)/g, () => ' to '],
  [/\b(1[1-9]\d\d|20\d\d)\b(?![.,]\d)/g, (found) => year(found)],
  // Letters and digits of a name are spoken separately: mp3, B2B.
  [new RegExp(`((?<!\\w)-)?(${number})`, 'g'), (_, minus, found = '') => ` ${sign(minus)}${cardinal(found)} `],
]

/** Returns numbers, dates, times, money, phone numbers and units as words. */
export function spellNumbers(text: string): string {
  const said = rules.reduce((rest, [pattern, say]) => rest.replace(pattern, say), text)
  return said
    .replace(/ +/g, ' ')
    .replace(/ (?=[.,;:!?)])/g, '')
    .trim()
}

function sign(minus: string | undefined): string {
  return minus ? 'minus ' : ''
}

function date(yearDigits: string, month: string, day: string): string | undefined {
  const name = months[Number(month) - 1]
  if (name === undefined || Number(day) < 1 || Number(day) > 31) return undefined
  const whole = yearDigits.length === 2 ? `20${yearDigits}` : yearDigits
  return `${name} ${ordinal(String(Number(day)))}, ${year(whole)} `
}

function halfOfDay(letter: string): string {
  return letter.toLowerCase() === 'a' ? 'ay em' : 'pee em'
}

function time(hours: string, minutes: string, seconds: string | undefined, half: string | undefined): string {
  const hour = cardinal(String(Number(hours)))
  const after = half === undefined ? '' : ` ${halfOfDay(half)}`
  const second = seconds === undefined || seconds === '00' ? '' : ` and ${cardinal(String(Number(seconds)))} seconds`
  if (minutes !== '00') {
    const minute = minutes.startsWith('0') ? `oh ${cardinal(minutes.slice(1))}` : cardinal(minutes)
    return `${hour} ${minute}${second}${after}`
  }
  return half === undefined && second === ''
    ? `${hour} ${Number(hours) > 12 ? 'hundred' : "o'clock"}`
    : `${hour}${second}${after}`
}

function money(minus: string | undefined, currency: string, amount: string, scale: string | undefined): string {
  const { unit, hundredth } = currencies[currency.toUpperCase()] ?? { unit: [currency, currency], hundredth: ['', ''] }
  if (scale !== undefined) {
    return `${sign(minus)}${cardinal(amount)} ${large[scale.toLowerCase()] ?? scale} ${unit[1]}`
  }
  const [, whole = '', cents] = /^([\d,]*)(?:\.(\d\d))?$/.exec(amount) ?? []
  if (whole === '' && cents === undefined) return `${sign(minus)}${cardinal(amount)} ${unit[1]}`
  const units =
    whole === '' || (/^0+$/.test(whole) && cents !== undefined) ? [] : [`${cardinal(whole)} ${wordsFor(unit, whole)}`]
  const part =
    cents === undefined || cents === '00'
      ? []
      : [`${cardinal(String(Number(cents)))} ${wordsFor(hundredth, String(Number(cents)))}`]
  return `${sign(minus)}${[...units, ...part].join(' and ') || `zero ${unit[1]}`}`
}

/** Returns a fraction as words: `1/2` -> one half, `3/4` -> three quarters. Reads others as written. */
function fraction(upper: string, lower: string): string {
  const parts = Number(lower)
  if (parts < 2 || parts > 20 || Number(upper) >= parts) return `${cardinal(upper)} over ${cardinal(lower)}`
  const name = parts === 2 ? 'half' : parts === 4 ? 'quarter' : ordinal(lower)
  return `${cardinal(upper)} ${upper === '1' ? name : name === 'half' ? 'halves' : `${name}s`}`
}

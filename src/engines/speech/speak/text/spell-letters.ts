/** What letters and signs are called, in English: for models that know words alone. */

const letterNames: Readonly<Record<string, string>> = {
  ...{ A: 'ay', B: 'bee', C: 'see', D: 'dee', E: 'ee', F: 'eff', G: 'gee', H: 'aitch', I: 'eye', J: 'jay', K: 'kay' },
  ...{ L: 'ell', M: 'em', N: 'en', O: 'oh', P: 'pee', Q: 'cue', R: 'are', S: 'ess', T: 'tee', U: 'you', V: 'vee' },
  ...{ W: 'double you', X: 'ex', Y: 'why', Z: 'zee' },
}

const signs: readonly (readonly [RegExp, string])[] = [
  [/(?<=\p{L})\/(?=\p{L})/gu, ' '],
  [/%/g, ' percent '],
  [/&/g, ' and '],
  [/@/g, ' at '],
  [/\+\+/g, ' plus plus '],
  [/\+/g, ' plus '],
  [/[→⇒]|(?<=\s)[-=]+>(?=\s)/g, ' to '],
  [/≠|!==?/g, ' is not equal to '],
  [/≈/g, ' about '],
  [/≤|<=/g, ' at most '],
  [/≥|>=/g, ' at least '],
  [/±/g, ' plus or minus '],
  [/(?<=\s)×(?=\s)/g, ' times '],
  [/={1,3}/g, ' equals '],
  [/(?<=\s)<(?=\s)/g, ' less than '],
  [/(?<=\s)>(?=\s)/g, ' greater than '],
  [/§/g, ' section '],
  [/©/g, ' copyright '],
  [/_/g, ' '],
]

const acronym = /\b([A-Z]{2,5})(s?)\b/g
/** Neither a word (a, I) nor the rest of one (it's, rock 'n' roll). */
const loneLetter = /(?<![\p{L}\p{M}'])[b-hj-zB-HJ-Z](?![\p{L}\p{M}'])/gu

/** Capitals that are words all the same. */
const words = new Set('A I AND ARE BUT CAN DO FOR HAS HE IF IN IS IT NO NOT OF ON OR SO THE TO WE YES YOU'.split(' '))

/** Letters that are no others with an accent. */
const otherLetters: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'th', þ: 'th', ı: 'i' },
}

/**
 * Signs as words, letters that stand alone by their names, and acronyms letter by letter: those without a vowel and those of two or
 * three letters. `areCapitalsWords`: it was written in capitals alone, and none of them is an acronym.
 */
export function spellLetters(text: string, areCapitalsWords: boolean): string {
  const said = signs
    .reduce((rest, [pattern, by]) => rest.replace(pattern, by), text)
    .replace(/\b(?:[A-Z]\.){2,}(?=(.)?)/g, (found, next) => `${spell(found)}${next === undefined ? '.' : ''}`)
  return (areCapitalsWords ? said : said.replace(acronym, spellAcronym)).replace(loneLetter, spell)
}

function spellAcronym(found: string, letters: string, plural: string): string {
  const isWord = words.has(letters) || (letters.length > 3 && /[AEIOUY]/.test(letters))
  return isWord ? found : `${spell(letters)}${plural}`
}

function spell(letters: string): string {
  return [...letters.toUpperCase()].flatMap((letter) => letterNames[letter] ?? []).join(' ')
}

/** Latin letters without their accents: Zoë -> Zoe, straße -> strasse. */
export function withoutAccents(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .replace(/[ßæœøłđðþı]/giu, (letter) => otherLetters[letter.toLowerCase()] ?? letter)
}

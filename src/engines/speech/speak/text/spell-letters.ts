/** English names of letters and signs, for models that know only words. */

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
/** Single letters, except words (a, I) and parts of words (it's, rock 'n' roll). */
const loneLetter = /(?<![\p{L}\p{M}'])[b-hj-zB-HJ-Z](?![\p{L}\p{M}'])/gu

/** Words in capitals that are not acronyms. */
const words = new Set('A I AND ARE BUT CAN DO FOR HAS HE IF IN IS IT NO NOT OF ON OR SO THE TO WE YES YOU'.split(' '))

/** Letters that Unicode does not decompose into a letter and an accent. */
const otherLetters: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'th', þ: 'th', ı: 'i' },
}

/**
 * Returns the text with signs as words, single letters by their names, and acronyms letter by letter: those without a
 * vowel and those of two or three letters. `areCapitalsWords`: the text was all capitals, so it has no acronyms.
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

/** Returns Latin letters without their accents: Zoë -> Zoe, straße -> strasse. */
export function withoutAccents(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .replace(/[ßæœøłđðþı]/giu, (letter) => otherLetters[letter.toLowerCase()] ?? letter)
}

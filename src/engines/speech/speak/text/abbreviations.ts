/** English abbreviations. The full stop of an abbreviation does not end its sentence. */

/** Spoken forms by abbreviation, in lower case without its full stop. */
const withFullStop: Readonly<Record<string, string>> = {
  mr: 'mister',
  mrs: 'missus',
  ms: 'miss',
  dr: 'doctor',
  prof: 'professor',
  st: 'saint',
  mt: 'mount',
  sr: 'senior',
  jr: 'junior',
  rev: 'reverend',
  gen: 'general',
  gov: 'governor',
  sen: 'senator',
  capt: 'captain',
  lt: 'lieutenant',
  sgt: 'sergeant',
  vs: 'versus',
  etc: 'et cetera',
  approx: 'approximately',
  dept: 'department',
  est: 'established',
  fig: 'figure',
  figs: 'figures',
  vol: 'volume',
  ch: 'chapter',
  pp: 'pages',
  inc: 'incorporated',
  ltd: 'limited',
  corp: 'corporation',
  ave: 'avenue',
  blvd: 'boulevard',
  rd: 'road',
  'e.g': 'for example',
  'i.e': 'that is',
  'a.m': 'ay em',
  'p.m': 'pee em',
  'ph.d': 'pee aitch dee',
  jan: 'January',
  feb: 'February',
  mar: 'March',
  apr: 'April',
  jun: 'June',
  jul: 'July',
  aug: 'August',
  sep: 'September',
  sept: 'September',
  oct: 'October',
  nov: 'November',
  dec: 'December',
}

/** Abbreviations that mostly end a sentence when a capital follows. */
const endsSentences = new Set(['etc', 'inc', 'ltd', 'corp', 'a.m', 'p.m', 'jr', 'sr', 'ave', 'blvd', 'rd'])
/** Abbreviations that may lack the full stop. Without it, the others are ordinary words. */
const alsoWithoutStop = new Set(['mr', 'mrs', 'dr', 'prof', 'vs', 'etc', 'approx', 'dept'])

const short = new RegExp(
  `\\b(${Object.keys(withFullStop)
    .map((key) => key.replace('.', '\\.'))
    .join('|')})(\\.?)(?![\\w])`,
  'gi',
)

const others: readonly (readonly [RegExp, string])[] = [
  [/\bNos?\. ?(?=\d)/g, 'number '],
  [/№ ?/g, 'number '],
  [/\bp\. ?(?=\d)/g, 'page '],
  [/\bw\/o\b/g, 'without'],
  [/\bw\/(?=\s)/g, 'with'],
]

/** Replaces abbreviations by their spoken form. */
export function sayAbbreviations(text: string): string {
  const said = others.reduce((rest, [pattern, by]) => rest.replace(pattern, by), text)
  return said.replace(short, (found, word: string, stop: string, offset: number) => {
    const key = word.toLowerCase()
    if (stop === '' && !alsoWithoutStop.has(key)) return found
    const rest = said.slice(offset + found.length)
    const isStreet = key === 'st' && !/^ \p{Lu}/u.test(rest)
    const isEnd = stop !== '' && endsWithSentence(key, rest)
    return `${isStreet ? 'street' : (withFullStop[key] ?? word)}${isEnd ? '.' : ''}`
  })
}

function endsWithSentence(key: string, rest: string): boolean {
  return rest.trim() === '' || (endsSentences.has(key) && /^\s+["'(]?\p{Lu}/u.test(rest))
}

/**
 * Returns whether a piece of text ends with an abbreviation or an initial, so that the next text belongs to the same
 * sentence.
 */
export function endsWithAbbreviation(text: string, next: string): boolean {
  const [, word] = /(?:^|[\s("'])([\p{L}.]{1,8})\.\s*$/u.exec(text) ?? []
  if (word === undefined) return false
  const key = word.toLowerCase()
  if (/^\p{Lu}(?:\.\p{Lu})*$/u.test(word)) return word !== 'I'
  if (key === 'no') return /^\d/.test(next)
  return key in withFullStop && !endsSentences.has(key)
}

import { numberWords, ordinalWords, wordsOfNumbers } from './number-words.ts'

/** Words that are not spoken, or have no meaning. */
const fillers = new Set(['uh', 'um', 'hm', 'hmm', 'mm', 'mhm', 'er', 'ah'])

const irregularContractions: Readonly<Partial<Record<string, string>>> = {
  "won't": 'will not',
  "can't": 'can not',
  cannot: 'can not',
  "shan't": 'shall not',
  "let's": 'let us',
  gonna: 'going to',
  wanna: 'want to',
}

/** Endings of contracted words, in the order of the search. */
const contractions = [
  [/n't$/, ' not'],
  [/'re$/, ' are'],
  [/'ve$/, ' have'],
  [/'ll$/, ' will'],
  [/'m$/, ' am'],
  [/'d$/, ' would'],
  // After other words, `'s` is more often a genitive.
  [/^(it|he|she|that|this|there|here|what|where|who|how|when)'s$/, '$1 is'],
  [/'/g, ''],
] as const

/** Stems with two spellings: the British one, and the American one that replaces it. */
const spellings = [
  [/^(colo|favo|hono|labo|neighbo|behavio|harbo|humo|rumo|flavo|parlo|vapo)ur/, '$1r'],
  [/^(cent|met|lit|theat|fib|somb)re(s?)$/, '$1er$2'],
  [/^(travel|cancel|label|model|signal|level|fuel)l(ed|ing|er|ers)$/, '$1$2'],
  [
    /^(real|organ|recogn|apolog|critic|emphas|final|memor|minim|maxim|modern|special|summar)is(e|es|ed|ing|ation)$/,
    '$1iz$2',
  ],
  [/^(defen|offen|licen)ce(s?)$/, '$1se$2'],
  [/^(dialog|catalog)ue(s?)$/, '$1$2'],
  [/^gr(e)y(s?)$/, 'gray$2'],
  [/^programme(s?)$/, 'program$1'],
  [/^ok$/, 'okay'],
  [/^mr$/, 'mister'],
  [/^mrs$/, 'missus'],
  [/^dr$/, 'doctor'],
] as const

const units = { $: 'dollars', '£': 'pounds', '€': 'euros' } as const

/**
 * Returns the words of an English text in comparable form: lower case, without punctuation, notes in brackets and
 * fillers, with contractions split, figures in words and American spelling. Texts that differ only in these have the
 * same words.
 */
export function normalisedWords(text: string): string[] {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[‘’ʼ]/g, "'")
    .replaceAll(/\[[^\]]*\]|\([^)]*\)|<[^>]*>/g, ' ')
    .replaceAll(/(\d),(?=\d{3}\b)/g, '$1')
    .replaceAll(/([$£€])(\d+(?:\.\d+)?)/g, (_, sign: keyof typeof units, amount) => `${amount} ${units[sign]}`)
    .replaceAll('%', ' percent ')
    .replaceAll('&', ' and ')
    .replaceAll(/\d+(?:\.\d+|st\b|nd\b|rd\b|th\b)?/g, (figures) => ` ${spokenFigures(figures)} `)
    .replaceAll(/[^\p{Letter}\p{Mark}'\s]+/gu, ' ')
    .split(/\s+/)
    .flatMap((word) => plainWords(word.replaceAll(/^'+|'+$/g, '')))
    .filter((word) => word !== '' && !fillers.has(word))
  return words.filter((word, index) => !isSpokenAnd(word, words[index - 1], words[index + 1]))
}

function spokenFigures(figures: string): string {
  const [whole = '', decimals] = figures.split('.')
  const value = Number.parseInt(whole, 10)
  // A long row of figures, or one that begins with 0, is read as a name.
  const isName = value > 999_999_999_999 || (whole.length > 1 && whole.startsWith('0'))
  const eachFigure = (row: string) =>
    [...row].filter((sign) => /\d/.test(sign)).flatMap((sign) => numberWords(Number(sign)))
  if (isName) return eachFigure(figures).join(' ')
  if (/\D$/.test(whole)) return ordinalWords(value).join(' ')
  return [...numberWords(value), ...(decimals === undefined ? [] : ['point', ...eachFigure(decimals)])].join(' ')
}

function plainWords(word: string): string[] {
  const apart = contractions.reduce(
    (text, [ending, plain]) => text.replace(ending, plain),
    irregularContractions[word] ?? word,
  )
  return apart
    .split(' ')
    .map((part) => spellings.reduce((text, [british, american]) => text.replace(british, american), part))
}

/** Returns whether `and` is part of a number: `three hundred and five` becomes `three hundred five`. */
function isSpokenAnd(word: string, before = '', after = ''): boolean {
  return word === 'and' && (before === 'hundred' || before === 'thousand') && wordsOfNumbers.has(after)
}

/** From what a client sends to what a model reads. */
import { sayAbbreviations } from './abbreviations.ts'
import { readAddresses } from './addresses.ts'
import { toParagraphs } from './plain-text.ts'
import { isSpeakable, toReadableCharacters } from './readable-characters.ts'
import { type Sentence, type SentenceLimits, toSentences } from './sentences.ts'
import { spellLetters, withoutAccents } from './spell-letters.ts'
import { spellNumbers } from './spell-numbers.ts'

export interface Reader {
  /** BCP 47 tag of what the voice reads; undefined: it is not known. */
  readonly language: string | undefined
  /** The model knows words alone: numbers, signs and abbreviations are written out for it. */
  readonly needsWords: boolean
  /** 1 is the model's own speed. */
  readonly speed: number
}

/** At the model's own speed. The memory that a model needs grows with the seconds of a sentence. */
const limits = { length: 160, firstLength: 120 }
/** Slow sentences have fewer characters, but no scraps. */
const smallestShare = 0.4

/** The sentences to say, none of them without a letter or digit; none at all where the text has nothing that can be said. */
export function prepareText(input: string, { language, needsWords, speed }: Reader): Sentence[] {
  const isEnglish = language !== undefined && /^en\b/i.test(language)
  const plain = toParagraphs(toReadableCharacters(input)).map((paragraph) => readAddresses(paragraph, isEnglish))
  const writeOut = needsWords && isEnglish ? inWords : (sentence: string) => sentence
  const options = { language, limits: limitsAt(speed), writeOut }
  return toSentences(plain, options).filter(({ text }) => isSpeakable(text))
}

function limitsAt(speed: number): SentenceLimits {
  const share = Math.max(smallestShare, Math.min(1, speed))
  return { length: Math.round(limits.length * share), firstLength: Math.round(limits.firstLength * share) }
}

/** A sentence in ASCII alone. It ends with a mark: without, models of letters leave short ones out. */
function inWords(sentence: string): string {
  const areCapitalsWords = !/\p{Ll}/u.test(sentence)
  const words = withoutAccents(spellLetters(spellNumbers(sayAbbreviations(sentence)), areCapitalsWords))
    .replace(/[^ -~]+/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
  return /[.,:;!?]["')\]]*$/.test(words) || !isSpeakable(words) ? words : `${words}.`
}

/** Converts a client's text to sentences that a model reads. */
import { sayAbbreviations } from './abbreviations.ts'
import { readAddresses } from './addresses.ts'
import { toParagraphs } from './plain-text.ts'
import { isSpeakable, toReadableCharacters } from './readable-characters.ts'
import { type Sentence, type SentenceLimits, toSentences } from './sentences.ts'
import { spellLetters, withoutAccents } from './spell-letters.ts'
import { spellNumbers } from './spell-numbers.ts'

interface Reader {
  /** BCP 47 tag of the voice's language. Undefined if unknown. */
  readonly language: string | undefined
  /** True if the model knows only words: numbers, signs and abbreviations are written out. */
  readonly needsWords: boolean
  /** Speed factor; 1 is the model's own speed. */
  readonly speed: number
}

/** Character limits at the model's own speed. A model's memory grows with the seconds of a sentence. */
const limits = { length: 160, firstLength: 120 }
/** Least share of the limits at slow speed, so that sentences do not become too short. */
const smallestShare = 0.4

/** Returns the sentences to speak, each with a letter or digit; none if the text has nothing to say. */
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

/**
 * Returns a sentence in ASCII that ends with a punctuation mark, without which models of letters skip short sentences.
 */
function inWords(sentence: string): string {
  const areCapitalsWords = !/\p{Ll}/u.test(sentence)
  const words = withoutAccents(spellLetters(spellNumbers(sayAbbreviations(sentence)), areCapitalsWords))
    .replace(/[^ -~]+/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
  return /[.,:;!?]["')\]]*$/.test(words) || !isSpeakable(words) ? words : `${words}.`
}

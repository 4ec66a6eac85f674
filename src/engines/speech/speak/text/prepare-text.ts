/** From what a client sends to what a model reads. */
import { sayAbbreviations } from './abbreviations.ts'
import { readAddresses } from './addresses.ts'
import { toParagraphs } from './plain-text.ts'
import { isSpeakable, toReadableCharacters } from './readable-characters.ts'
import { type Sentence, toSentences } from './sentences.ts'
import { spellLetters, withoutAccents } from './spell-letters.ts'
import { spellNumbers } from './spell-numbers.ts'

export interface Reader {
  /** ISO 639-1 of what the voice reads. */
  readonly language: string
  /** The model knows words alone: numbers, signs and abbreviations are written out for it. */
  readonly needsWords: boolean
}

const limits = { length: 250, firstLength: 120 }

/** The sentences to say, none of them without a letter or digit; none at all where the text has nothing that can be said. */
export function prepareText(input: string, { language, needsWords }: Reader): Sentence[] {
  const isEnglish = /^en\b/i.test(language)
  const plain = toParagraphs(toReadableCharacters(input)).map((paragraph) => readAddresses(paragraph, isEnglish))
  const writeOut = needsWords && isEnglish ? inWords : (sentence: string) => sentence
  return toSentences(plain, { language, limits, writeOut }).filter(({ text }) => isSpeakable(text))
}

/** A sentence in ASCII alone. It ends with a mark: without, models of letters leave short ones out. */
function inWords(sentence: string): string {
  const words = withoutAccents(spellLetters(spellNumbers(sayAbbreviations(sentence))))
    .replace(/[^ -~]+/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
  return /[.,:;!?]["')\]]*$/.test(words) || !isSpeakable(words) ? words : `${words}.`
}

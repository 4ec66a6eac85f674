/** Words and phrases that a transducer is to prefer, in the form of sherpa-onnx. Pure. */
import type { TranscribeRequest } from '../../../core/speech.ts'

/** Most phrases of a request, and most words of one: a longer one is a sentence, not a name. */
const phrasesLimit = 100
const wordsLimit = 8

/** Marks between phrases of a prompt. */
const phraseEnd = /[,;:.!?\n，、；：。！？]+/
/** Characters that the library reads as separators, scores and thresholds, and all other signs. */
const notSpelled = /[^\p{L}\p{M}\p{N}'’\s-]+/gu
/** Line of a list of tokens. */
const tokenLine = /^(\S+)\s+\d+$/
const wordStart = '▁'

/** Vocabulary of word pieces: `▁` begins a word. */
export class WordPieces {
  readonly #pieces: ReadonlySet<string>
  /** Characters of the longest piece */
  readonly #longest: number

  /** `tokens`: text of the model's list of tokens, in the order of their ids. */
  constructor(tokens: string) {
    const pieces = tokens.split('\n').flatMap((line) => tokenLine.exec(line.trimEnd())?.[1] ?? [])
    this.#pieces = new Set(pieces.filter((piece) => !/^<.*>$/.test(piece)))
    this.#longest = this.#pieces.values().reduce((longest, { length }) => Math.max(longest, length), 0)
  }

  /** True if some pieces begin a word, as in vocabularies of SentencePiece. */
  get beginWords(): boolean {
    return this.#pieces.values().some((piece) => piece.startsWith(wordStart) && piece.length > 1)
  }

  /** Vocabulary with scores for the library, which cuts words into pieces by them: frequent pieces come first. */
  get scored(): string {
    return [...this.#pieces].map((piece, index) => `${piece}\t${-index - 1}\n`).join('')
  }

  /** Returns the phrases of a request that can be spelled in pieces, as the library takes them; empty if there are none. */
  phrasesOf({ prompt = '', keywords = [] }: Pick<TranscribeRequest, 'prompt' | 'keywords'>): string {
    return [...keywords, ...prompt.split(phraseEnd)]
      .values()
      .map((phrase) => phrase.replaceAll(notSpelled, ' ').split(/\s+/).filter(Boolean))
      .filter((words) => words.length > 0 && words.length <= wordsLimit)
      .flatMap((words) => this.#spelled(words) ?? [])
      .take(phrasesLimit)
      .toArray()
      .join('/')
  }

  /** Returns a phrase in the case that the vocabulary has. */
  #spelled(words: readonly string[]): string[] | undefined {
    const spellings = [words, words.map((word) => word.toUpperCase()), words.map((word) => word.toLowerCase())]
    const found = spellings.find((spelling) => spelling.every((word) => this.#canSpell(word)))
    return found && [found.join(' ')]
  }

  #canSpell(word: string): boolean {
    const text = wordStart + word
    /** True at positions up to which the text can be spelled */
    const reached = [true]
    for (let end = 1; end <= text.length; end++) {
      let start = Math.max(0, end - this.#longest)
      while (start < end && !(reached[start] && this.#pieces.has(text.slice(start, end)))) start++
      reached.push(start < end)
    }
    return reached.at(-1) === true
  }
}

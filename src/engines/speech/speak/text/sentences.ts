/** Splits text into sentences, so that the first sound comes before the last sentence is synthesized. */
import { endsWithAbbreviation } from './abbreviations.ts'

/** Unit of synthesis. */
export interface Sentence {
  readonly text: string
  /** Silence after the sentence at normal speed. */
  readonly pauseSeconds: number
}

export interface SentenceLimits {
  /** Most characters of a sentence. Longer ones are cut between clauses, else between words. */
  readonly length: number
  /** Most characters of the first sentence, which listeners wait for. */
  readonly firstLength: number
}

const pauses = { paragraph: 0.45, sentence: 0.25, clause: 0.1, words: 0 }

interface SentenceOptions {
  /** BCP 47 tag of the text's language. Undefined if unknown. */
  readonly language: string | undefined
  readonly limits: SentenceLimits
  /** Rewrites a whole sentence for the model before it is measured and cut. */
  readonly writeOut: (sentence: string) => string
}

/** Returns the sentences of the paragraphs. */
export function toSentences(
  paragraphs: readonly string[],
  { language, limits, writeOut }: SentenceOptions,
): Sentence[] {
  // The rest of a tag may be a synthesizer's own, which the platform would reject.
  const segmenter = new Intl.Segmenter(language?.split('-')[0], { granularity: 'sentence' })
  const sentences: Sentence[] = []
  for (const paragraph of paragraphs) {
    for (const written of joinAbbreviations(segmenter.segment(paragraph))) {
      const pieces = cut(writeOut(written), limits, sentences.length === 0)
      sentences.push(...pieces)
      pauseBehindLast(sentences, pauses.sentence)
    }
    pauseBehindLast(sentences, pauses.paragraph)
  }
  return sentences
}

function pauseBehindLast(sentences: Sentence[], pauseSeconds: number): void {
  const last = sentences.pop()
  if (last !== undefined) sentences.push({ ...last, pauseSeconds })
}

/** Joins segments after abbreviations: the platform's rules end a sentence after "Dr. ". */
function joinAbbreviations(segments: Intl.Segments): string[] {
  const sentences: string[] = []
  for (const { segment } of segments) {
    const last = sentences.at(-1)
    if (last !== undefined && endsWithAbbreviation(last, segment)) sentences[sentences.length - 1] = last + segment
    else if (segment.trim() !== '') sentences.push(segment)
  }
  return sentences
}

/** Places to cut a long sentence, the best first. Each pattern matches the text that stays in the first part. */
const places: readonly (readonly [pattern: RegExp, pauseSeconds: number])[] = [
  [/[;:—–]\s|[。！？；：]/gu, pauses.clause],
  [/[,)\]]\s|[，、]/gu, pauses.clause],
  [/\s/gu, pauses.words],
]

function cut(sentence: string, { length, firstLength }: SentenceLimits, isFirst: boolean): Sentence[] {
  const pieces: Sentence[] = []
  let rest = sentence.trim()
  for (let limit = isFirst ? firstLength : length; rest.length > limit; limit = length) {
    const { end, pauseSeconds } = placeToCut(rest, limit)
    pieces.push({ text: rest.slice(0, end).trim(), pauseSeconds })
    rest = rest.slice(end).trim()
  }
  return rest === '' ? pieces : [...pieces, { text: rest, pauseSeconds: 0 }]
}

/** Returns the best place to cut, outside the first third, where a part would be too short. */
function placeToCut(text: string, limit: number): { readonly end: number; readonly pauseSeconds: number } {
  const head = text.slice(0, limit)
  for (const [pattern, pauseSeconds] of places) {
    const last = [...head.matchAll(pattern)].at(-1)
    const end = last === undefined ? 0 : last.index + last[0].length
    if (end > limit / 3) return { end, pauseSeconds }
  }
  return { end: wordEnd(text, head), pauseSeconds: pauses.words }
}

/** Returns the end of a word in a script without spaces. Cuts a word longer than the limit between characters. */
function wordEnd(text: string, head: string): number {
  for (const granularity of ['word', 'grapheme'] as const) {
    const segments = new Intl.Segmenter(undefined, { granularity }).segment(text.slice(0, head.length + 50))
    const starts = [...segments]
      .map(({ index }) => index)
      .filter((index) => index > head.length / 3 && index <= head.length)
    const last = starts.at(-1)
    if (last !== undefined) return last
  }
  return head.length
}

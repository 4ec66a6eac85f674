/** Where text is cut, so that the first sound comes before the last sentence is made. */
import { endsWithAbbreviation } from './abbreviations.ts'

/** What is synthesized at once. */
export interface Sentence {
  readonly text: string
  /** Silence behind it at normal speed. */
  readonly pauseSeconds: number
}

export interface SentenceLimits {
  /** Characters of a sentence; longer ones are cut at clauses, else between words. */
  readonly length: number
  /** Those of the first, which everybody waits for. */
  readonly firstLength: number
}

const pauses = { paragraph: 0.45, sentence: 0.25, clause: 0.1, words: 0 }

export interface SentenceOptions {
  /** BCP 47 tag of what is read; undefined: it is not known. */
  readonly language: string | undefined
  readonly limits: SentenceLimits
  /** A whole sentence as the model reads it, before it is measured and cut. */
  readonly writeOut: (sentence: string) => string
}

/** The sentences of paragraphs. Of nothing: none. */
export function toSentences(
  paragraphs: readonly string[],
  { language, limits, writeOut }: SentenceOptions,
): Sentence[] {
  // What else a tag says may be a synthesizer's own, which the platform refuses.
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

/** The platform's rules end a sentence behind "Dr. ": such ones are joined again. */
function joinAbbreviations(segments: Intl.Segments): string[] {
  const sentences: string[] = []
  for (const { segment } of segments) {
    const last = sentences.at(-1)
    if (last !== undefined && endsWithAbbreviation(last, segment)) sentences[sentences.length - 1] = last + segment
    else if (segment.trim() !== '') sentences.push(segment)
  }
  return sentences
}

/** Where a sentence that is too long is cut, the best place first. Each matches what stays with the part before. */
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

/** Not in the first third, where a part would be a scrap. */
function placeToCut(text: string, limit: number): { readonly end: number; readonly pauseSeconds: number } {
  const head = text.slice(0, limit)
  for (const [pattern, pauseSeconds] of places) {
    const last = [...head.matchAll(pattern)].at(-1)
    const end = last === undefined ? 0 : last.index + last[0].length
    if (end > limit / 3) return { end, pauseSeconds }
  }
  return { end: wordEnd(text, head), pauseSeconds: pauses.words }
}

/** Between words of a script without spaces; a word that is longer than the limit is cut where a character ends. */
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

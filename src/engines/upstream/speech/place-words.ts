/** Assigns words to segments, in the form that they have in the text. Pure. */
import type { TranscriptSegment, TranscriptWord } from '../../../core/speech.ts'

const letter = /[\p{L}\p{N}]/u

export type SegmentOfWords<Word> = TranscriptSegment & { readonly words: readonly (Word | TranscriptWord)[] }

/**
 * Returns the segments with all their words in order. Servers report words without the punctuation around them, so
 * text between two words is added to the first. Words missing in the text are assigned by time.
 */
export function placeWords<Word extends TranscriptWord>(
  segments: readonly TranscriptSegment[],
  words: readonly Word[],
): SegmentOfWords<Word>[] {
  const placed: SegmentOfWords<Word>[] = []
  let next = 0
  for (const segment of segments) {
    const own = wordsIn(segment.text, words, next)
    if (own === undefined) return placedByTime(segments, words)
    next += own.length
    placed.push({ ...segment, words: own })
  }
  return next === words.length ? placed : placedByTime(segments, words)
}

/** Returns the words from `first` on that form the text; undefined if they do not match it. */
function wordsIn<Word extends TranscriptWord>(text: string, words: readonly Word[], first: number): Word[] | undefined {
  const begins: number[] = []
  let at = 0
  for (let word = words[first]; word !== undefined; word = words[first + begins.length]) {
    const begin = indexOf(text, word.text, at)
    if (begin === -1 || letter.test(text.slice(at, begin))) break
    begins.push(begin)
    at = begin + word.text.length
  }
  if (begins.length === 0 || letter.test(text.slice(at))) return undefined
  return begins.flatMap((begin, index) => {
    const word = words[first + index]
    const isGlued = index > 0 && !/\s/.test(text[begin - 1] ?? ' ')
    const whole = text.slice(index === 0 ? 0 : begin, begins[index + 1] ?? text.length).trim()
    return word === undefined ? [] : [{ ...word, text: whole, ...(isGlued && { isGlued }) }]
  })
}

/** Returns the index of a word, ignoring case if that does not change lengths. */
function indexOf(text: string, word: string, from: number): number {
  const exact = text.indexOf(word, from)
  const [lowText, lowWord] = [text.toLowerCase(), word.toLowerCase()]
  if (lowText.length !== text.length || lowWord.length !== word.length) return exact
  return lowText.indexOf(lowWord, from)
}

function placedByTime<Word extends TranscriptWord>(
  segments: readonly TranscriptSegment[],
  words: readonly Word[],
): SegmentOfWords<Word>[] {
  let next = 0
  return segments.map((segment, index) => {
    const endSeconds = segments[index + 1]?.startSeconds ?? Number.POSITIVE_INFINITY
    const first = next
    while ((words[next]?.startSeconds ?? Number.POSITIVE_INFINITY) < endSeconds) next++
    const { text, startSeconds, endSeconds: lastSeconds } = segment
    const own = words.slice(first, next)
    return { ...segment, words: own.length > 0 ? own : [{ text, startSeconds, endSeconds: lastSeconds }] }
  })
}

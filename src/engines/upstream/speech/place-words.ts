/** Which words belong to which segment, and how they stand in its text. Pure. */
import type { TranscriptSegment, TranscriptWord } from '../../../core/speech.ts'

const letter = /[\p{L}\p{N}]/u

export type SegmentOfWords<Word> = TranscriptSegment & { readonly words: readonly (Word | TranscriptWord)[] }

/**
 * The segments with all their words, in order. Servers tell words without the signs around them: what stands between two words in
 * the text belongs to the first. Words that are not found in the text go where their time is.
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

/** The words from the `first` on that the text consists of; undefined where it does not. */
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

/** In any case, where that does not change the length. */
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

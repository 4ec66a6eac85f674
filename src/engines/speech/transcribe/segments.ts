/** Segments of a transcript, each about a sentence and suitable as a subtitle. Pure. */
import type { TranscriptSegment } from '../../../core/speech.ts'
import type { TimedWord } from './words.ts'

/** Length that fits two lines of a subtitle and can be read in time. */
const limitCharacters = 80
const limitSeconds = 10
/** Typical pause between sentences. */
const pauseSeconds = 0.6

const sentenceEnd = /[.?!…。？！]["'”’)\]]*$/
/** Abbreviations such as `3.` and `Dr.`, which do not end a sentence. */
const abbreviation = /^(\p{L}|\d+|Mr|Mrs|Ms|Dr|St|vs|etc)\.$/iu
const clauseEnd = /[,;:、，；：]$/

interface SegmentOptions {
  /** Position in the recording from which the words' times count. */
  readonly startSeconds: number
  readonly wantsWords: boolean
  readonly wantsTokens?: boolean
}

export function segmentsOf(words: readonly TimedWord[], options: SegmentOptions): TranscriptSegment[] {
  return sentences(words)
    .flatMap(short)
    .map((part) => toSegment(part, options))
}

function sentences(words: readonly TimedWord[]): TimedWord[][] {
  const parts: TimedWord[][] = []
  for (const word of words) {
    const part = parts.at(-1)
    const before = part?.at(-1)
    if (part === undefined || before === undefined || endsSentence(before, word)) parts.push([word])
    else part.push(word)
  }
  return parts
}

function endsSentence(word: TimedWord, next: TimedWord): boolean {
  if (next.startSeconds - word.endSeconds >= pauseSeconds) return true
  return sentenceEnd.test(word.text) && !abbreviation.test(word.text)
}

/** Splits words in two at the best place until each part is short enough. */
function short(words: readonly TimedWord[]): TimedWord[][] {
  const first = words[0]
  const last = words.at(-1)
  if (first === undefined || last === undefined) return []
  const isShort = textOf(words).length <= limitCharacters && last.endSeconds - first.startSeconds <= limitSeconds
  if (isShort || words.length === 1) return [[...words]]
  let best = { at: 1, merit: Number.NEGATIVE_INFINITY }
  for (let at = 1; at < words.length; at++) {
    const merit = meritOfCut(words, at)
    if (merit > best.merit) best = { at, merit }
  }
  return [...short(words.slice(0, best.at)), ...short(words.slice(best.at))]
}

/**
 * Returns the merit of a cut. A clause's end or a pause is worth moving a quarter of the length away from the middle.
 */
function meritOfCut(words: readonly TimedWord[], at: number): number {
  const before = words[at - 1]
  const after = words[at]
  if (before === undefined || after === undefined) return Number.NEGATIVE_INFINITY
  const distance = Math.abs(at / words.length - 0.5)
  const pause = Math.min(1, Math.max(0, after.startSeconds - before.endSeconds) / pauseSeconds)
  return pause / 4 + (clauseEnd.test(before.text) ? 0.25 : 0) - distance
}

function toSegment(
  words: readonly TimedWord[],
  { startSeconds, wantsWords, wantsTokens = false }: SegmentOptions,
): TranscriptSegment {
  const at = (seconds: number) => Math.round((startSeconds + seconds) * 1000) / 1000
  const logs = words.flatMap(({ logProbability }) => logProbability ?? [])
  return {
    type: 'segment',
    text: textOf(words),
    startSeconds: at(words[0]?.startSeconds ?? 0),
    endSeconds: at(words.at(-1)?.endSeconds ?? 0),
    ...(wantsWords && {
      words: words.map(({ text, startSeconds, endSeconds, logProbability, isGlued }) => ({
        text,
        startSeconds: at(startSeconds),
        endSeconds: at(endSeconds),
        ...(logProbability !== undefined && { score: Math.min(1, Math.exp(logProbability)) }),
        ...(isGlued && { isGlued }),
      })),
    }),
    ...(wantsTokens && { tokens: words.flatMap(({ tokens = [] }) => tokens) }),
    ...(logs.length > 0 && { averageLogProbability: logs.reduce((sum, each) => sum + each, 0) / logs.length }),
  }
}

function textOf(words: readonly TimedWord[]): string {
  return words.map(({ text, isGlued }, index) => (index === 0 || isGlued ? text : ` ${text}`)).join('')
}

/** Transcript of a chunk from the recogniser's output. Pure. */
import { audioSampleRateHz, type TranscriptSegment } from '../../../core/speech.ts'
import { isSayable, withoutLoops } from './invented-text.ts'
import type { RecognizedChunk } from './recognizer.ts'
import { segmentsOf } from './segments.ts'
import type { Chunk, Stretch } from './speech-cutter.ts'
import { plainText, type Span, scored, spreadWords, type TimedWord, wordsOf } from './words.ts'

interface TranscriptOptions {
  readonly wantsWords: boolean
  readonly wantsTokens?: boolean
  readonly inventsText: boolean
}

export function transcriptOf(
  recognized: RecognizedChunk,
  chunk: Chunk,
  { wantsWords, wantsTokens = false, inventsText }: TranscriptOptions,
): TranscriptSegment[] {
  const speech = chunk.speech.map((stretch) => spanIn(chunk, stretch))
  const spokenSeconds = speech.reduce((sum, span) => sum + span.endSeconds - span.startSeconds, 0)
  const heard = partedWords(recognized, speech) ?? wordsOf(recognized, speech)
  const lengthSeconds = (chunk.end - chunk.start) / audioSampleRateHz
  const words = (inventsText ? withoutLoops(heard) : heard).map((word) => ({
    ...word,
    endSeconds: Math.min(word.endSeconds, lengthSeconds), // frames of a model may reach beyond the last sample
  }))
  const text = words.map((word) => word.text).join(' ')
  if (inventsText && !isSayable(text, spokenSeconds)) return []
  const segments = segmentsOf(words, { startSeconds: chunk.start / audioSampleRateHz, wantsWords, wantsTokens })
  return wantsTokens ? withTokens(segments, recognized) : segments
}

/** Gives the first segment all tokens if they belong to no word, as bytes of characters do. */
function withTokens(segments: TranscriptSegment[], { tokens, logProbabilities }: RecognizedChunk): TranscriptSegment[] {
  const [first, ...others] = segments
  if (first === undefined || segments.some((segment) => (segment.tokens ?? []).length > 0)) return segments
  return [{ ...first, tokens: scored(tokens, logProbabilities, 0, logProbabilities.length) }, ...others]
}

/** Returns the words of a text in which only some parts have times. */
function partedWords({ text, parts, timestamps }: RecognizedChunk, speech: readonly Span[]): TimedWord[] | undefined {
  if (parts.length === 0 || timestamps.length > 0) return undefined
  if (plainText(parts.map((part) => part.text).join('')) !== plainText(text)) return undefined
  return parts.flatMap((part, index) => {
    const isGlued = index > 0 && !/^\s/.test(part.text)
    const [first, ...rest] = spreadWords(plainText(part.text), within(speech, part))
    return first === undefined ? [] : [{ ...first, isGlued }, ...rest]
  })
}

/** Returns the speech within a part; the whole part if there is none. */
function within(speech: readonly Span[], part: Span): readonly Span[] {
  const spans = speech
    .map(({ startSeconds, endSeconds }) => ({
      startSeconds: Math.max(startSeconds, part.startSeconds),
      endSeconds: Math.min(endSeconds, part.endSeconds),
    }))
    .filter(({ startSeconds, endSeconds }) => endSeconds > startSeconds)
  return spans.length > 0 ? spans : [part]
}

function spanIn(chunk: Chunk, { start, end }: Stretch): Span {
  const seconds = (sample: number) => (sample - chunk.start) / audioSampleRateHz
  return { startSeconds: seconds(start), endSeconds: seconds(end) }
}

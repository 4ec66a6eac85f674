/** Reads and checks the transcript in an upstream server's answer. */
import { isObject } from '../../../core/json.ts'
import { languageCode } from '../../../core/language-code.ts'
import {
  audioSampleRateHz,
  type SpeakerTurn,
  type TranscribeRequest,
  type TranscriptSegment,
} from '../../../core/speech.ts'
import { malformedAnswer } from '../http/failure.ts'
import { placeWords } from './place-words.ts'
import { type HeardWord, labelledTranscript } from './speaker-words.ts'

interface ReadTranscript {
  /** Segments in order, within the recording, without overlaps; with words if requested. */
  readonly segments: readonly TranscriptSegment[]
  /** ISO 639-1 code. Undefined if the server does not report it. */
  readonly language: string | undefined
  /** Speaker turns. Undefined unless speakers were requested. */
  readonly turns: readonly SpeakerTurn[] | undefined
}

/**
 * Reads `verbose_json`, or `json`, whose text is one segment. Times beyond the recording, which come from rounding,
 * are moved into it. Throws UpstreamFailure if something requested is missing, or a time is not a number.
 */
export function readTranscript(
  answer: unknown,
  { audio, wantsWords, speakers }: Pick<TranscribeRequest, 'audio' | 'wantsWords' | 'speakers'>,
): ReadTranscript {
  if (!isObject(answer) || typeof answer.text !== 'string') throw malformedAnswer('no transcript')
  const durationSeconds = audio.sampleCount / audioSampleRateHz
  const whole = { text: answer.text, start: 0, end: durationSeconds }
  const segments = readSegments(Array.isArray(answer.segments) ? answer.segments : [whole], durationSeconds)
  const language = typeof answer.language === 'string' ? languageCode(answer.language) : undefined
  if (!wantsWords) return { segments, language, turns: undefined }
  const words = readWords(answer.words, durationSeconds)
  if (speakers === undefined) return { segments: placeWords(segments, words), language, turns: undefined }
  return { ...labelledTranscript(placeWords(segments, words)), language }
}

function readSegments(sent: readonly unknown[], durationSeconds: number): TranscriptSegment[] {
  const read: TranscriptSegment[] = []
  let floorSeconds = 0
  for (const each of sent) {
    const segment = isObject(each) ? each : {}
    if (typeof segment.text !== 'string') throw malformedAnswer('a segment without text')
    const times = readTimes(segment, floorSeconds, durationSeconds)
    const text = segment.text.trim()
    if (text === '') continue
    floorSeconds = times.endSeconds
    // Servers without this value report 0.
    const logs = typeof segment.avg_logprob === 'number' && segment.avg_logprob < 0 ? segment.avg_logprob : undefined
    read.push({ type: 'segment', text, ...times, ...(logs !== undefined && { averageLogProbability: logs }) })
  }
  return read
}

function readWords(sent: unknown, durationSeconds: number): HeardWord[] {
  if (!Array.isArray(sent)) throw malformedAnswer('no times of words')
  const read: HeardWord[] = []
  let floorSeconds = 0
  for (const each of sent) {
    const { word, score, speaker, segment_id, ...times } = isObject(each) ? each : {}
    if (typeof word !== 'string') throw malformedAnswer('a word without text')
    const { startSeconds, endSeconds } = readTimes(times, floorSeconds, durationSeconds)
    const text = word.trim()
    if (text === '') continue
    floorSeconds = startSeconds
    read.push({
      text,
      startSeconds,
      endSeconds,
      score: typeof score === 'number' && score > 0 && score <= 1 ? score : undefined,
      speaker: typeof speaker === 'string' ? speaker : undefined,
      segmentId: typeof segment_id === 'number' ? segment_id : undefined,
    })
  }
  return read
}

function readTimes(
  { start, end }: { readonly start?: unknown; readonly end?: unknown },
  floor: number,
  ceiling: number,
) {
  if (typeof start !== 'number' || typeof end !== 'number' || !Number.isFinite(start) || !Number.isFinite(end)) {
    throw malformedAnswer('times that are no numbers')
  }
  const startSeconds = Math.min(Math.max(start, floor), ceiling)
  return { startSeconds, endSeconds: Math.max(startSeconds, Math.min(end, ceiling)) }
}

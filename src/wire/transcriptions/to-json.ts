import type { TranscriptionCall } from './parse-request.ts'
import { type SpeakerSegment, speakerLabel, type TimedWord, toSpeakerSegments } from './speaker-segments.ts'
import { inSeconds, withTimes } from './times.ts'
import { logprobsOf } from './token-scores.ts'
import type { Transcript } from './transcript.ts'

/** Returns the short form: the text, and its tokens' scores if requested. */
export function toJson({ text, tokens, usage }: Transcript, { request }: Pick<TranscriptionCall, 'request'>): object {
  return { text, ...(request.wantsTokens && { logprobs: logprobsOf(tokens) }), usage }
}

/** Returns the form of `diarized_json`: a segment per uninterrupted speech. */
export function toDiarizedJson({ durationSeconds, text, usage }: Transcript, words: readonly TimedWord[]): object {
  const segments = toSpeakerSegments(words).map((segment, id) => ({
    type: 'transcript.text.segment',
    id: `seg_${id}`,
    ...inSeconds(segment),
    speaker: speakerLabel(segment.speaker),
    text: segment.text,
  }))
  return { task: 'transcribe', duration: durationSeconds, text, segments, usage }
}

/** Returns the long form, with times. Clients require every number of a segment: 0 stands for unknown ones. */
export function toVerboseJson(
  transcript: Transcript,
  words: readonly TimedWord[],
  { request, hasSegments, hasWords }: Pick<TranscriptionCall, 'request' | 'hasSegments' | 'hasWords'>,
): object {
  const { language, durationSeconds: duration, text, segments, tokens, usage } = transcript
  return {
    ...(request.translates ? { task: 'translate', language: 'english' } : { task: 'transcribe', language }),
    duration,
    text,
    ...(hasSegments && {
      segments: withTimes(segments, duration).map((segment, id) => ({
        id,
        seek: 0,
        ...inSeconds(segment),
        text: segment.text,
        tokens: [],
        temperature: 0,
        avg_logprob: segment.averageLogProbability ?? 0,
        compression_ratio: 0,
        no_speech_prob: 0,
      })),
    }),
    ...(hasWords && { words: words.values().map((word) => ({ word: word.text, ...inSeconds(word) })) }),
    ...(request.wantsTokens && { logprobs: logprobsOf(tokens) }),
    usage,
  }
}

/**
 * Returns the form of both with speakers: a segment per uninterrupted speech. If times of segments and words are both
 * requested, each word names the model's own segment.
 */
export function toSpeakerJson(
  transcript: Transcript,
  words: readonly TimedWord[],
  speakerCount: number,
  { hasSegments, hasWords }: Pick<TranscriptionCall, 'hasSegments' | 'hasWords'>,
): object {
  const { language, durationSeconds: duration, text, usage } = transcript
  return {
    task: 'transcribe',
    text,
    language,
    duration,
    speakers: Array.from({ length: speakerCount }, (_, speaker) => speakerLabel(speaker)),
    segments: toSpeakerSegments(words).map((segment, id) => ({
      id,
      ...inSeconds(segment),
      speaker: speakerLabel(segment.speaker),
      text: segment.text,
    })),
    words: hasSegments && hasWords ? numbered(words) : words.values().map((word, id) => ({ id, ...toWord(word) })),
    speaker_segments: toSpeakerSegments(words).map(toUpstreamSegment),
    usage,
  }
}

function* numbered(words: readonly TimedWord[]): Generator<object> {
  let segment = -1
  for (const [id, word] of words.entries()) {
    if (word.beginsSegment) segment++
    yield { id, ...toWord(word), segment_id: segment }
  }
}

function toWord(word: TimedWord): object {
  const speaker = speakerLabel(word.speaker)
  return { word: word.text, ...inSeconds(word), speaker, speaker_id: speaker, score: word.score ?? 0 }
}

function toUpstreamSegment({ speaker, text, words, ...times }: SpeakerSegment): object {
  return { speaker_id: speakerLabel(speaker), ...inSeconds(times), text, words: words.values().map(toWord) }
}

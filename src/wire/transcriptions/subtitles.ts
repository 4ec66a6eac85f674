import type { TranscriptionCall } from './parse-request.ts'
import { type SpeakerSegment, speakerLabel, type TimedWord, toSpeakerSegments } from './speaker-segments.ts'

/**
 * Yields one cue for each segment, which engines keep short enough to be read; two if another speaker begins within it.
 * Yields one for each word if only words are requested.
 */
export function cuesOf(
  words: readonly TimedWord[],
  { hasSegments }: Pick<TranscriptionCall, 'hasSegments'>,
): Generator<SpeakerSegment> {
  return toSpeakerSegments(words, ({ beginsSegment }) => !hasSegments || beginsSegment)
}

/** Yields SubRip. */
export function* toSrt(cues: Iterable<SpeakerSegment>, hasLabels: boolean): Generator<string> {
  let number = 0
  for (const cue of cues) {
    number++
    const times = `${clock(cue.startMs, ',')} --> ${clock(cue.endMs, ',')}`
    yield `${number}\n${times}\n${cueText(cue, hasLabels)}\n\n`
  }
}

/** Yields WebVTT. */
export function* toVtt(cues: Iterable<SpeakerSegment>, hasLabels: boolean): Generator<string> {
  yield 'WEBVTT\n\n'
  for (const cue of cues) {
    const text = cueText(cue, hasLabels).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    yield `${clock(cue.startMs, '.')} --> ${clock(cue.endMs, '.')}\n${text}\n\n`
  }
}

/** Returns a cue's text on one line without `-->`: an empty line would end the cue, and the arrow separates times. */
function cueText({ text, speaker }: SpeakerSegment, hasLabels: boolean): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('-->', '→')
  return hasLabels ? `${speakerLabel(speaker)}: ${line}` : line
}

function clock(ms: number, point: ',' | '.'): string {
  const seconds = Math.floor(ms / 1000)
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const digits = [hours, minutes, rest].map((part) => String(part).padStart(2, '0')).join(':')
  return `${digits}${point}${String(ms % 1000).padStart(3, '0')}`
}

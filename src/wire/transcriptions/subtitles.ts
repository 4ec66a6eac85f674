import { type SpeakerSegment, speakerLabel, timedWords, toSpeakerSegments } from './speaker-segments.ts'
import type { Transcript } from './transcript.ts'

/** One cue for each segment, which engines keep short enough to be read; two where another speaker begins within it. */
function cuesOf(transcript: Transcript): SpeakerSegment[] {
  return toSpeakerSegments(timedWords(transcript), ({ beginsSegment }) => beginsSegment)
}

/** SubRip. */
export function* toSrt(transcript: Transcript): Generator<string> {
  for (const [index, cue] of cuesOf(transcript).entries()) {
    const times = `${clock(cue.startMs, ',')} --> ${clock(cue.endMs, ',')}`
    yield `${index + 1}\n${times}\n${cueText(cue, transcript)}\n\n`
  }
}

/** WebVTT. */
export function* toVtt(transcript: Transcript): Generator<string> {
  yield 'WEBVTT\n\n'
  for (const cue of cuesOf(transcript)) {
    const text = cueText(cue, transcript).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    yield `${clock(cue.startMs, '.')} --> ${clock(cue.endMs, '.')}\n${text}\n\n`
  }
}

/** On one line, since an empty one ends a cue, and without the arrow, which stands between times. */
function cueText({ text, speaker }: SpeakerSegment, { turns }: Transcript): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('-->', '→')
  return turns === undefined ? line : `${speakerLabel(speaker)}: ${line}`
}

function clock(ms: number, point: ',' | '.'): string {
  const seconds = Math.floor(ms / 1000)
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const digits = [hours, minutes, rest].map((part) => String(part).padStart(2, '0')).join(':')
  return `${digits}${point}${String(ms % 1000).padStart(3, '0')}`
}

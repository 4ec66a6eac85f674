import { type SpeakerSegment, speakerLabel, type TimedWord, toSpeakerSegments } from './speaker-segments.ts'

/** One cue for each segment, which engines keep short enough to be read; two where another speaker begins within it. */
function cuesOf(words: readonly TimedWord[]): Generator<SpeakerSegment> {
  return toSpeakerSegments(words, ({ beginsSegment }) => beginsSegment)
}

/** SubRip. */
export function* toSrt(words: readonly TimedWord[], hasLabels: boolean): Generator<string> {
  let number = 0
  for (const cue of cuesOf(words)) {
    number++
    const times = `${clock(cue.startMs, ',')} --> ${clock(cue.endMs, ',')}`
    yield `${number}\n${times}\n${cueText(cue, hasLabels)}\n\n`
  }
}

/** WebVTT. */
export function* toVtt(words: readonly TimedWord[], hasLabels: boolean): Generator<string> {
  yield 'WEBVTT\n\n'
  for (const cue of cuesOf(words)) {
    const text = cueText(cue, hasLabels).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    yield `${clock(cue.startMs, '.')} --> ${clock(cue.endMs, '.')}\n${text}\n\n`
  }
}

/** On one line, since an empty one ends a cue, and without the arrow, which stands between times. */
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

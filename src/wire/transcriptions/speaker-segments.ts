import { assignSpeakers, type SpokenWord } from '../../core/assign-speakers.ts'
import { spaceBetween } from '../../core/spaceless.ts'
import { type Times, withTimes } from './times.ts'
import type { Transcript } from './transcript.ts'

export interface TimedWord extends SpokenWord, Times {
  /** Text between this word and the previous one. */
  readonly space: string
}

/** Uninterrupted speech of one speaker. */
export interface SpeakerSegment extends Times {
  readonly speaker: number
  readonly text: string
  /** At least one word. */
  readonly words: readonly TimedWord[]
}

/** Returns a speaker's label: `SPEAKER_00` for the first, and so on. */
export function speakerLabel(speaker: number): string {
  return `SPEAKER_${String(speaker).padStart(2, '0')}`
}

/** Yields all words of a transcript in order, with their speakers. Without labels, all have the same speaker. */
export function* timedWords({ segments, turns = [], durationSeconds }: Transcript): Generator<TimedWord> {
  let before = ''
  for (const word of withTimes(assignSpeakers(segments, turns), durationSeconds)) {
    const gap = word.isGlued ? '' : ' '
    yield { ...word, space: word.beginsSegment ? spaceBetween(before, word.text) : gap }
    before = word.text
  }
}

/** Yields segments: a new one begins with another speaker, and at each word for which `begins` returns true. */
export function* toSpeakerSegments(
  words: Iterable<TimedWord>,
  begins: (word: TimedWord) => boolean = () => false,
): Generator<SpeakerSegment> {
  let group: TimedWord[] = []
  for (const word of words) {
    if (group[0] !== undefined && (group[0].speaker !== word.speaker || begins(word))) {
      yield* toSegment(group)
      group = []
    }
    group.push(word)
  }
  yield* toSegment(group)
}

/** Returns a segment, or nothing without words. */
function toSegment(words: readonly TimedWord[]): SpeakerSegment[] {
  const [first, last] = [words[0], words.at(-1)]
  if (first === undefined || last === undefined) return []
  const text = words.map((word, index) => (index === 0 ? '' : word.space) + word.text).join('')
  return [{ speaker: first.speaker, startMs: first.startMs, endMs: last.endMs, text, words }]
}

import { assignSpeakers, type SpokenWord } from '../../core/assign-speakers.ts'
import { spaceBetween } from '../../core/spaceless.ts'
import { type Times, withTimes } from './times.ts'
import type { Transcript } from './transcript.ts'

export interface TimedWord extends SpokenWord, Times {
  /** What stands between it and the word before it. */
  readonly space: string
}

/** What one speaker says without a break. */
export interface SpeakerSegment extends Times {
  readonly speaker: number
  readonly text: string
  /** At least one. */
  readonly words: readonly TimedWord[]
}

/** `SPEAKER_00` for the first speaker, and so on. */
export function speakerLabel(speaker: number): string {
  return `SPEAKER_${String(speaker).padStart(2, '0')}`
}

/** All words of a transcript in order, each with its speaker: there is one where speakers are not told apart. */
export function* timedWords({ segments, turns = [], durationSeconds }: Transcript): Generator<TimedWord> {
  let before = ''
  for (const word of withTimes(assignSpeakers(segments, turns), durationSeconds)) {
    const gap = word.isGlued ? '' : ' '
    yield { ...word, space: word.beginsSegment ? spaceBetween(before, word.text) : gap }
    before = word.text
  }
}

/** Cuts words where another speaker begins, and before each word of which `begins` is true. */
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

/** None of no words. */
function toSegment(words: readonly TimedWord[]): SpeakerSegment[] {
  const [first, last] = [words[0], words.at(-1)]
  if (first === undefined || last === undefined) return []
  const text = words.map((word, index) => (index === 0 ? '' : word.space) + word.text).join('')
  return [{ speaker: first.speaker, startMs: first.startMs, endMs: last.endMs, text, words }]
}

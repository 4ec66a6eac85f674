import { assignSpeakers, type SpokenWord } from '../../core/assign-speakers.ts'
import { spaceBetween } from '../../core/spaceless.ts'
import { type Times, withTimes } from './times.ts'
import type { Transcript } from './transcript.ts'

export interface TimedWord extends SpokenWord, Times {
  /** It is the first of a segment of the model's. */
  readonly beginsSegment: boolean
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
export function timedWords({ segments, turns = [], durationSeconds }: Transcript): TimedWord[] {
  const beginnings = new Set<number>()
  let count = 0
  for (const { words } of segments) {
    beginnings.add(count)
    count += words?.length ?? 1
  }
  return withTimes(assignSpeakers(segments, turns), durationSeconds).map((word, index, all) => {
    const beginsSegment = beginnings.has(index)
    const before = all[index - 1]?.text ?? ''
    return { ...word, beginsSegment, space: beginsSegment ? spaceBetween(before, word.text) : word.isGlued ? '' : ' ' }
  })
}

/** Cuts words where another speaker begins, and before each word of which `begins` is true. */
export function toSpeakerSegments(
  words: readonly TimedWord[],
  begins: (word: TimedWord) => boolean = () => false,
): SpeakerSegment[] {
  const groups: [TimedWord, ...TimedWord[]][] = []
  for (const word of words) {
    const group = groups.at(-1)
    if (group === undefined || group[0].speaker !== word.speaker || begins(word)) groups.push([word])
    else group.push(word)
  }
  return groups.map((group) => {
    const [{ speaker, startMs, endMs }] = group
    const text = group.map((word, index) => (index === 0 ? '' : word.space) + word.text).join('')
    return { speaker, startMs, endMs: group.at(-1)?.endMs ?? endMs, text, words: group }
  })
}

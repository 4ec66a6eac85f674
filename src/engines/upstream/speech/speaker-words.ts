/** Transcript with speakers from another inferd, whose words name their speakers and the model's own segments. Pure. */

import { spaceBetween } from '../../../core/spaceless.ts'
import type { SpeakerTurn, TranscriptSegment, TranscriptWord } from '../../../core/speech.ts'
import { malformedAnswer } from '../http/failure.ts'
import type { SegmentOfWords } from './place-words.ts'

export interface HeardWord extends TranscriptWord {
  readonly speaker?: string | undefined
  /** Id of the model's own segment that contains the word. */
  readonly segmentId?: number | undefined
}

interface Labelled {
  readonly segments: readonly TranscriptSegment[]
  readonly turns: readonly SpeakerTurn[]
}

/**
 * Returns the transcript. `spoken`: uninterrupted speech of one speaker each, with its words. Throws UpstreamFailure
 * for a word without a speaker.
 */
export function labelledTranscript(spoken: readonly SegmentOfWords<HeardWord>[]): Labelled {
  const words: HeardWord[] = []
  for (const { words: own } of spoken) {
    for (const [index, word] of own.entries()) {
      const before = words.at(-1)
      // The answer does not tell whether a space separates the words of two speakers.
      const isGlued = index > 0 || before === undefined ? word.isGlued : spaceBetween(before.text, word.text) === ''
      words.push(isGlued === true ? { ...word, isGlued } : word)
    }
  }
  const turns = turnsOf(words)
  const isNumbered = words.every(({ segmentId }) => segmentId !== undefined)
  return {
    segments: isNumbered ? segmentsOf(words) : spoken.map((each) => ({ ...each, words: each.words.map(bare) })),
    turns,
  }
}

function turnsOf(words: readonly HeardWord[]): SpeakerTurn[] {
  const numbers = new Map<string, number>()
  const turns: SpeakerTurn[] = []
  for (const { speaker, startSeconds, endSeconds } of words) {
    if (speaker === undefined) throw malformedAnswer('a word without a speaker')
    const number = numbers.get(speaker) ?? numbers.size
    numbers.set(speaker, number)
    const last = turns.at(-1)
    if (last?.speaker === number) turns.splice(-1, 1, { ...last, endSeconds: Math.max(last.endSeconds, endSeconds) })
    else {
      if (last !== undefined) turns.splice(-1, 1, { ...last, endSeconds: Math.min(last.endSeconds, startSeconds) })
      turns.push({ speaker: number, startSeconds, endSeconds })
    }
  }
  return turns
}

/** Returns the model's own segments, each of which may contain two speakers. */
function segmentsOf(words: readonly HeardWord[]): TranscriptSegment[] {
  const groups: HeardWord[][] = []
  for (const word of words) {
    const group = groups.at(-1)
    if (group?.[0]?.segmentId === word.segmentId) group?.push(word)
    else groups.push([word])
  }
  return groups.map((group) => ({
    type: 'segment',
    text: group.map(({ text, isGlued }, index) => (index === 0 || isGlued === true ? text : ` ${text}`)).join(''),
    startSeconds: group[0]?.startSeconds ?? 0,
    endSeconds: group.at(-1)?.endSeconds ?? 0,
    words: group.map(bare),
  }))
}

function bare({ speaker: _, segmentId: __, ...word }: HeardWord): TranscriptWord {
  return word
}

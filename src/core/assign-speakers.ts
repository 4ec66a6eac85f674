import type { SpeakerTurn, TranscriptSegment, TranscriptWord } from './speech.ts'

export interface SpokenWord extends TranscriptWord {
  /** Number of the speaker in order of first words, from 0. */
  readonly speaker: number
  /** True for the first word of one of the model's segments. */
  readonly beginsSegment: boolean
}

/**
 * Yields all words of the segments in order, one by one, since hours of audio have a hundred thousand. A word gets the
 * speaker whose turns it overlaps longest, or without overlap that of the nearest turn. Ties go to the previous word's
 * speaker, then to the earlier turn. A segment without words counts as one word. Without turns there is one speaker.
 * Speakers are renumbered, because some turns may have no words. `turns` are in order of time and do not overlap.
 */
export function* assignSpeakers(
  segments: readonly TranscriptSegment[],
  turns: readonly SpeakerTurn[],
): Generator<SpokenWord> {
  const numbers = new Map<number | undefined, number>()
  let before: number | undefined
  for (const { words, text, startSeconds, endSeconds } of segments) {
    let beginsSegment = true
    for (const word of words ?? [{ text, startSeconds, endSeconds }]) {
      before = speakerOf(word, turns, before)
      const speaker = numbers.get(before) ?? numbers.size
      numbers.set(before, speaker)
      yield { ...word, speaker, beginsSegment }
      beginsSegment = false
    }
  }
}

function speakerOf(
  word: TranscriptWord,
  turns: readonly SpeakerTurn[],
  before: number | undefined,
): number | undefined {
  const next = firstEndingAfter(turns, word.startSeconds)
  const overlaps = new Map<number, number>()
  for (let index = next; ; index += 1) {
    const turn = turns[index]
    if (turn === undefined || turn.startSeconds >= word.endSeconds) break
    overlaps.set(turn.speaker, (overlaps.get(turn.speaker) ?? 0) + overlapSeconds(word, turn))
  }
  if (overlaps.size === 0) {
    for (const turn of turns.slice(Math.max(0, next - 1), next + 1)) {
      const seconds = overlapSeconds(word, turn) // negative: the gap between them
      overlaps.set(turn.speaker, Math.max(overlaps.get(turn.speaker) ?? Number.NEGATIVE_INFINITY, seconds))
    }
  }
  const longest = Math.max(...overlaps.values())
  const equals = [...overlaps].filter(([, seconds]) => isSame(seconds, longest)).map(([speaker]) => speaker)
  return before !== undefined && equals.includes(before) ? before : equals[0]
}

function overlapSeconds(word: TranscriptWord, turn: SpeakerTurn): number {
  return Math.min(word.endSeconds, turn.endSeconds) - Math.max(word.startSeconds, turn.startSeconds)
}

/** Compares with a tolerance, because times are sums and differences of floating-point numbers. */
function isSame(seconds: number, otherSeconds: number): boolean {
  return Math.abs(seconds - otherSeconds) < 1e-6
}

/** Returns the index of the first turn that ends after `seconds`, by bisection. */
function firstEndingAfter(turns: readonly SpeakerTurn[], seconds: number): number {
  let [low, high] = [0, turns.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((turns[middle]?.endSeconds ?? 0) > seconds) high = middle
    else low = middle + 1
  }
  return low
}

import { matchedSpeakers } from './diarization-errors.ts'
import { normalisedWords } from './normalise.ts'
import type { LabelledTurn } from './turns.ts'
import { type Alignment, alignWords } from './word-errors.ts'

/** Word with its time and speaker. */
export interface TimedWord extends LabelledTurn {
  readonly text: string
}

export interface TimedWordErrors extends Alignment {
  /** Absolute errors of the understood words' start times. */
  readonly startErrorsSeconds: readonly number[]
  readonly endErrorsSeconds: readonly number[]
  /** Number of understood words whose speaker is right. */
  readonly rightSpeakers: number
}

/** Compares words in order of time. Matches speakers as `diarizationErrors` does, by their words. */
export function timedWordErrors(reference: readonly TimedWord[], hypothesis: readonly TimedWord[]): TimedWordErrors {
  const said = comparedWords(reference)
  const heard = comparedWords(hypothesis)
  const alignment = alignWords(
    said.map(({ word }) => word),
    heard.map(({ word }) => word),
  )
  const speakers = matchedSpeakers(reference, hypothesis)
  const startErrorsSeconds: number[] = []
  const endErrorsSeconds: number[] = []
  let rightSpeakers = 0
  for (const same of alignment.same) {
    const [was, is] = [said[same.reference], heard[same.hypothesis]]
    if (was === undefined || is === undefined) continue
    if (speakers.get(is.of.speaker) === was.of.speaker) rightSpeakers++
    if (was.isPart || is.isPart) continue
    startErrorsSeconds.push(Math.abs(was.of.startSeconds - is.of.startSeconds))
    endErrorsSeconds.push(Math.abs(was.of.endSeconds - is.of.endSeconds))
  }
  return { ...alignment, startErrorsSeconds, endErrorsSeconds, rightSpeakers }
}

/** Returns normalised words. A word such as `21` becomes several parts, whose own times are unknown. */
function comparedWords(words: readonly TimedWord[]) {
  const inOrder = [...words].sort((a, b) => a.startSeconds - b.startSeconds)
  return inOrder.flatMap((of) => {
    const parts = normalisedWords(of.text)
    return parts.map((word) => ({ word, of, isPart: parts.length > 1 }))
  })
}

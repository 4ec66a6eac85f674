import { matchedSpeakers } from './diarization-errors.ts'
import { normalisedWords } from './normalise.ts'
import type { LabelledTurn } from './turns.ts'
import { type Alignment, alignWords } from './word-errors.ts'

/** A word, when it is said and by whom. */
export interface TimedWord extends LabelledTurn {
  readonly text: string
}

export interface TimedWordErrors extends Alignment {
  /** How far the times of the words that were understood are from the true ones, either way. */
  readonly startErrorsSeconds: readonly number[]
  readonly endErrorsSeconds: readonly number[]
  /** Of the words that were understood, those whose speaker is right. */
  readonly rightSpeakers: number
}

/** Compares words in the order of time. Speakers are matched as `diarizationErrors` does, over what each one says. */
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

/** Normalised words. One of several that a word becomes, such as `21`, is a part of it: its own times are not known. */
function comparedWords(words: readonly TimedWord[]) {
  const inOrder = [...words].sort((a, b) => a.startSeconds - b.startSeconds)
  return inOrder.flatMap((of) => {
    const parts = normalisedWords(of.text)
    return parts.map((word) => ({ word, of, isPart: parts.length > 1 }))
  })
}

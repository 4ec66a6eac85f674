import { bestAssignment } from './assignment.ts'
import type { LabelledTurn, Span } from './turns.ts'

/** Errors in seconds of speech. A second with two speakers counts twice. */
export interface DiarizationErrors {
  /** Speech of the reference. */
  readonly speech: number
  readonly missed: number
  readonly falseAlarm: number
  /** Speech with the wrong speaker. */
  readonly confusion: number
}

export interface Scoring {
  readonly scored: readonly Span[]
  /** Seconds on either side of each start and end of a reference turn that are not scored. */
  readonly collarSeconds: number
}

/** Span with the same speakers throughout. */
interface Stretch {
  readonly seconds: number
  readonly reference: ReadonlySet<string>
  readonly hypothesis: ReadonlySet<string>
}

/**
 * Compares turns as NIST's md-eval does. Matches speakers of the hypothesis one to one with those of the reference, so
 * that they share as much time as possible. Scores overlapping speech too.
 */
export function diarizationErrors(
  reference: readonly LabelledTurn[],
  hypothesis: readonly LabelledTurn[],
  scoring: Scoring,
): DiarizationErrors {
  const stretches = stretchesOf(joined(reference), hypothesis, scoring)
  const matches = matchSpeakers(stretches)
  let [speech, missed, falseAlarm, confusion] = [0, 0, 0, 0]
  for (const { seconds, reference, hypothesis } of stretches) {
    const right = [...hypothesis].filter((speaker) => reference.has(matches.get(speaker) ?? '')).length
    speech += seconds * reference.size
    missed += seconds * Math.max(0, reference.size - hypothesis.size)
    falseAlarm += seconds * Math.max(0, hypothesis.size - reference.size)
    confusion += seconds * (Math.min(reference.size, hypothesis.size) - right)
  }
  return { speech, missed, falseAlarm, confusion }
}

/** Returns the diarization error rate of several recordings: all errors divided by all speech. */
export function diarizationErrorRate(all: readonly DiarizationErrors[]): number {
  const errors = all.reduce((sum, each) => sum + each.missed + each.falseAlarm + each.confusion, 0)
  return errors === 0 ? 0 : errors / all.reduce((sum, { speech }) => sum + speech, 0)
}

/** Returns the reference speaker of each speaker of the hypothesis, as `diarizationErrors` matches them. */
export function matchedSpeakers(
  reference: readonly LabelledTurn[],
  hypothesis: readonly LabelledTurn[],
): ReadonlyMap<string, string> {
  const scored = [...reference, ...hypothesis]
  return matchSpeakers(stretchesOf(reference, hypothesis, { scored, collarSeconds: 0 }))
}

/** Joins turns of one speaker that touch or overlap, so that their inner ends are no boundaries. */
function joined(turns: readonly LabelledTurn[]): LabelledTurn[] {
  const result: LabelledTurn[] = []
  for (const turn of [...turns].sort((a, b) => a.startSeconds - b.startSeconds)) {
    const at = result.findLastIndex(({ speaker }) => speaker === turn.speaker)
    const last = result[at]
    if (last === undefined || last.endSeconds < turn.startSeconds) result.push(turn)
    else result[at] = { ...last, endSeconds: Math.max(last.endSeconds, turn.endSeconds) }
  }
  return result
}

function stretchesOf(
  reference: readonly LabelledTurn[],
  hypothesis: readonly LabelledTurn[],
  { scored, collarSeconds }: Scoring,
): Stretch[] {
  const collars = reference
    .flatMap(({ startSeconds, endSeconds }) => [startSeconds, endSeconds])
    .map((seconds) => ({ startSeconds: seconds - collarSeconds, endSeconds: seconds + collarSeconds }))
  const ends = [...reference, ...hypothesis, ...scored, ...collars].flatMap((span) => [
    span.startSeconds,
    span.endSeconds,
  ])
  const times = [...new Set(ends)].sort((a, b) => a - b)
  return times.slice(1).flatMap((endSeconds, index) => {
    const startSeconds = times[index] ?? endSeconds
    const covers = (span: Span) => span.startSeconds <= startSeconds && endSeconds <= span.endSeconds
    if (!scored.some(covers) || collars.some(covers)) return []
    const speakers = (turns: readonly LabelledTurn[]) => new Set(turns.filter(covers).map(({ speaker }) => speaker))
    return [{ seconds: endSeconds - startSeconds, reference: speakers(reference), hypothesis: speakers(hypothesis) }]
  })
}

function matchSpeakers(stretches: readonly Stretch[]): Map<string, string> {
  const all = (of: (stretch: Stretch) => ReadonlySet<string>) => [
    ...new Set(stretches.flatMap((each) => [...of(each)])),
  ]
  const found = all(({ hypothesis }) => hypothesis)
  const real = all(({ reference }) => reference)
  const shared = found.map((speaker) =>
    real.map((other) =>
      stretches
        .filter(({ reference, hypothesis }) => hypothesis.has(speaker) && reference.has(other))
        .reduce((sum, { seconds }) => sum + seconds, 0),
    ),
  )
  const columns = bestAssignment(shared)
  return new Map(
    found.flatMap((speaker, row) => {
      const column = columns[row] ?? -1
      const match = real[column]
      // Speakers who never speak at the same time do not match.
      return match === undefined || shared[row]?.[column] === 0 ? [] : [[speaker, match] as const]
    }),
  )
}

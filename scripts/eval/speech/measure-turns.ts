import { diarizationErrorRate, diarizationErrors } from './diarization-errors.ts'
import { type Diarizer, openAudioFolder } from './diarizers.ts'
import type { Recording } from './recordings.ts'
import { isCountRight, type Measured, type TurnErrors, turnFigures } from './report.ts'
import type { LabelledTurn } from './turns.ts'

const collarSeconds = 0.25

export interface MeasuredTurns {
  readonly row: Measured
  /** Error rate of all recordings together, without a collar. */
  readonly errorRate: number
  /** Share of the recordings with the right number of speakers. */
  readonly rightCounts: number
  readonly workSeconds: number
}

/** Measures each diarizer on the recordings. For each recording they run one after the other. */
export async function measureTurns<Name extends string>(
  what: string,
  recordings: readonly Recording[],
  diarizers: Readonly<Record<Name, Diarizer>>,
): Promise<Record<Name, MeasuredTurns>> {
  using folder = openAudioFolder()
  const names = Object.keys(diarizers) as Name[]
  const found = names.map((name) => ({ name, errors: [] as TurnErrors[], workMs: 0 }))
  for (const recording of recordings) {
    const audio = await folder.add(recording)
    for (const each of found) {
      const { turns, ms } = await diarizers[each.name].diarize(audio)
      each.workMs += ms
      each.errors.push(turnErrors(recording, turns))
    }
  }
  const audioSeconds = recordings.reduce((sum, { lengthSeconds }) => sum + lengthSeconds, 0)
  const measured = found.map(({ name, errors, workMs }): [Name, MeasuredTurns] => {
    const workSeconds = workMs / 1000
    const figures = turnFigures(errors)
    const row = { name: `${what}: ${name}`, figures, recordings: recordings.length, audioSeconds, workSeconds }
    const errorRate = diarizationErrorRate(errors.map(({ strict }) => strict))
    return [name, { row, errorRate, workSeconds, rightCounts: errors.filter(isCountRight).length / errors.length }]
  })
  return Object.fromEntries(measured) as Record<Name, MeasuredTurns>
}

function turnErrors(recording: Recording, turns: readonly LabelledTurn[]): TurnErrors {
  const scored = (collarSeconds: number) =>
    diarizationErrors(recording.turns, turns, { scored: recording.scored, collarSeconds })
  const speakers = (turns: readonly LabelledTurn[]) => new Set(turns.map(({ speaker }) => speaker)).size
  return {
    strict: scored(0),
    collared: scored(collarSeconds),
    speakersFound: speakers(turns),
    speakersReal: speakers(recording.turns),
  }
}

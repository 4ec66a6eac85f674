import { markdownTable } from '../../shared/markdown-table.ts'
import { percentile } from '../../shared/statistics.ts'
import { type DiarizationErrors, diarizationErrorRate } from './diarization-errors.ts'
import type { TimedWordErrors } from './timed-words.ts'
import { type WordErrors, wordErrorRate } from './word-errors.ts'

/** Results of one system for some recordings. */
export interface Measured {
  readonly name: string
  readonly recordings: number
  readonly audioSeconds: number
  readonly figures: readonly string[]
  /** Computing time divided by the audio's length, by kind of work. Absent if nothing was timed. */
  readonly workSeconds?: number
}

/** Returns a Markdown table with a row per system. */
export function renderEvaluation(measured: readonly Measured[]): string {
  const rows = measured.map(({ name, recordings, audioSeconds, figures, workSeconds }) => [
    name,
    figures.join(', '),
    `${recordings}`,
    (audioSeconds / 60).toFixed(1),
    workSeconds === undefined ? '' : (workSeconds / audioSeconds).toFixed(3),
  ])
  const head = ['', 'figures', 'recordings', 'minutes', 'real-time factor']
  return markdownTable(head, rows, { labels: 2 }).join('\n')
}

/** Returns the errors of the understood words' times. */
export function timeFigures(errors: readonly TimedWordErrors[]): string[] {
  const figure = (name: string, of: (each: TimedWordErrors) => readonly number[]) => {
    const ms = (share: number) => (percentile(errors.flatMap(of), share) * 1000).toFixed(0)
    return `${name} off by ${ms(0.5)} ms (p90 ${ms(0.9)})`
  }
  const starts = figure('starts', ({ startErrorsSeconds }) => startErrorsSeconds)
  return [starts, figure('ends', ({ endErrorsSeconds }) => endErrorsSeconds)]
}

export function werFigure(errors: readonly WordErrors[]): string {
  return `WER ${percent(wordErrorRate(errors))}`
}

/** Returns the share of the understood words whose speaker is right. */
export function rightSpeakerShare(errors: readonly TimedWordErrors[]): number {
  const understood = errors.reduce((sum, { same }) => sum + same.length, 0)
  return errors.reduce((sum, { rightSpeakers }) => sum + rightSpeakers, 0) / understood
}

/** Errors of speakers' turns, scored strictly and with a collar. */
export interface TurnErrors {
  readonly strict: DiarizationErrors
  readonly collared: DiarizationErrors
  readonly speakersFound: number
  readonly speakersReal: number
}

export function turnFigures(errors: readonly TurnErrors[]): string[] {
  const strict = errors.map((each) => each.strict)
  const share = (of: (each: DiarizationErrors) => number) =>
    percent(strict.reduce((sum, each) => sum + of(each), 0) / strict.reduce((sum, { speech }) => sum + speech, 0))
  const parts = [
    `missed ${share(({ missed }) => missed)}`,
    `false alarm ${share(({ falseAlarm }) => falseAlarm)}`,
    `confusion ${share(({ confusion }) => confusion)}`,
  ]
  return [
    `DER ${percent(diarizationErrorRate(strict))} (${parts.join(', ')})`,
    `with collar ${percent(diarizationErrorRate(errors.map(({ collared }) => collared)))}`,
    `speakers right in ${errors.filter(isCountRight).length} of ${errors.length}`,
  ]
}

export function isCountRight({ speakersFound, speakersReal }: TurnErrors): boolean {
  return speakersFound === speakersReal
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

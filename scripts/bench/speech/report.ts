import { markdownTable } from '../../shared/markdown-table.ts'
import { median } from '../../shared/statistics.ts'
import type { Contest, Effort, Round } from './contest.ts'

export interface Outcome {
  readonly contest: Contest
  /** Of the speeds: 2 where inferd takes half the time. */
  readonly ratio: number
}

/** Medians over the rounds, as a Markdown table, and the ratio of each contest. */
export function renderSpeechReport(rounds: readonly Round[]): { text: string; outcomes: Outcome[] } {
  const contests = [...new Set(rounds.map(({ contest }) => contest))]
  const outcomes = contests.map((contest) => {
    const own = rounds.filter((round) => round.contest === contest)
    const ratio = median(own.map(({ inferd, sherpa }) => sherpa.seconds / inferd.seconds))
    const factor = (of: (round: Round) => Effort) =>
      median(own.map((round) => of(round).seconds)) / contest.audioSeconds
    const cpu = (of: (round: Round) => Effort) => median(own.map((round) => of(round).cpuSeconds)).toFixed(2)
    const cells = [
      contest.name,
      contest.audioSeconds.toFixed(0),
      factor(({ inferd }) => inferd).toFixed(4),
      factor(({ sherpa }) => sherpa).toFixed(4),
      ratio.toFixed(2),
      cpu(({ inferd }) => inferd),
      cpu(({ sherpa }) => sherpa),
    ]
    return { contest, ratio, cells }
  })
  const head = [
    '',
    'audio s',
    'inferd',
    'sherpa-onnx',
    'speed, inferd ÷ sherpa-onnx',
    'CPU s, inferd',
    'CPU s, sherpa-onnx',
  ]
  const table = markdownTable(
    head,
    outcomes.map(({ cells }) => cells),
  )
  return { text: table.join('\n'), outcomes }
}

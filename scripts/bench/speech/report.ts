import { markdownTable } from '../../shared/markdown-table.ts'
import { median } from '../../shared/statistics.ts'
import type { Contest, Effort, Round } from './contest.ts'

export interface Outcome {
  readonly contest: Contest
  /** inferd's speed divided by sherpa-onnx's: 2 if inferd takes half the time. */
  readonly ratio: number
}

const names = { inferd: 'inferd', before: 'before', sherpa: 'sherpa-onnx' } as const
type PeerName = keyof typeof names

/** Returns medians over the rounds, as a Markdown table, and the ratio of each contest. */
export function renderSpeechReport(rounds: readonly Round[]): { text: string; outcomes: Outcome[] } {
  const contests = [...new Set(rounds.map(({ contest }) => contest))]
  const hasBefore = rounds.some(({ before }) => before !== undefined)
  const peers: readonly PeerName[] = hasBefore ? ['inferd', 'before', 'sherpa'] : ['inferd', 'sherpa']
  const outcomes = contests.map((contest) => {
    const own = rounds.filter((round) => round.contest === contest)
    const values = (peer: PeerName, of: (effort: Effort) => number) => own.flatMap((round) => round[peer] ?? []).map(of)
    const ratios = peers.slice(0, -1).map((peer) => median(own.map((round) => speedRatio(round[peer], round.sherpa))))
    const factors = peers.map((peer) => median(values(peer, ({ seconds }) => seconds)) / contest.audioSeconds)
    const cpu = peers.map((peer) => median(values(peer, ({ cpuSeconds }) => cpuSeconds)))
    const cells = [
      contest.name,
      contest.audioSeconds.toFixed(0),
      ...factors.map((factor) => factor.toFixed(4)),
      ...ratios.map((ratio) => ratio.toFixed(2)),
      ...cpu.map((seconds) => seconds.toFixed(2)),
    ]
    return { contest, ratio: ratios[0] ?? Number.NaN, cells }
  })
  const head = [
    '',
    'audio s',
    ...peers.map((peer) => names[peer]),
    ...peers.slice(0, -1).map((peer) => `speed, ${names[peer]} ÷ sherpa-onnx`),
    ...peers.map((peer) => `CPU s, ${names[peer]}`),
  ]
  const table = markdownTable(
    head,
    outcomes.map(({ cells }) => cells),
  )
  return { text: table.join('\n'), outcomes }
}

function speedRatio(own: Effort | undefined, other: Effort): number {
  return own === undefined ? Number.NaN : other.seconds / own.seconds
}

import { markdownTable } from '../../shared/markdown-table.ts'
import { median } from '../../shared/statistics.ts'
import type { VisionRound } from './measure.ts'
import type { RepeatFigures } from './repeats.ts'
import type { Beside, StreamFigures } from './streams.ts'

export interface VisionReport {
  readonly lines: readonly string[]
  /** Goals that inferd misses. */
  readonly missed: readonly string[]
}

const goals = { againShare: 0.2 }

/** Returns medians over rounds and pictures, and the goals that inferd misses. */
export function renderVisionReport(rounds: readonly VisionRound[]): VisionReport {
  const peers = [...new Set(rounds.map(({ peer }) => peer))]
  const lines = [
    '## One picture, milliseconds to the first token',
    '',
    ...table(
      peers,
      ['first', 'again', 'other question', 'next turn', 'behind another text', 'again ÷ first'],
      (peer) => {
        const of = repeats(rounds, peer)
        const ms = [
          of(firstMs),
          of(againMs),
          of((each) => each.otherQuestionMs),
          of((each) => each.nextTurnMs),
          of(behindMs),
        ]
        return [...ms.map((value) => value.toFixed(0)), of(againShare).toFixed(3)]
      },
    ),
    '## Six streams of text beside two clients, milliseconds between tokens',
    '',
    ...table(
      peers.flatMap((peer) => (['texts', 'pictures'] as const).map((beside) => `${peer}, ${beside}`)),
      ['p50', 'p99', 'longest', "others' requests/s"],
      (row) => {
        const [peer = '', beside] = row.split(', ')
        const of = streams(rounds, peer, beside === 'texts' ? 'texts' : 'pictures')
        const ms = [of(({ p50Ms }) => p50Ms), of(p99Ms), of(({ longestMs }) => longestMs)]
        return [...ms.map((value) => value.toFixed(1)), of(({ othersPerSecond }) => othersPerSecond).toFixed(2)]
      },
    ),
    '## New pictures from four clients',
    '',
    ...table(peers, ['pictures/s'], (peer) => [
      median(ofPeer(rounds, peer).map(({ picturesPerSecond }) => picturesPerSecond)).toFixed(2),
    ]),
  ]
  const { againToFirst, riseMs, encodeMs } = inferdFigures(rounds)
  return {
    lines: [
      ...lines,
      `inferd takes ${encodeMs.toFixed(0)} ms to encode a picture (first, less the same picture behind another text). With pictures beside`,
      `them, the six streams' p99 rises by ${riseMs.toFixed(0)} ms.`,
    ],
    missed: [
      ...(againToFirst > goals.againShare
        ? [`again ÷ first is ${againToFirst.toFixed(2)}, not ${goals.againShare}`]
        : []),
      ...(riseMs > encodeMs
        ? [`p99 rises by ${riseMs.toFixed(0)} ms, more than the ${encodeMs.toFixed(0)} ms of an encode`]
        : []),
    ],
  }
}

function inferdFigures(rounds: readonly VisionRound[]) {
  const of = repeats(rounds, 'inferd')
  const rises = ofPeer(rounds, 'inferd').map(({ streams }) => streams.pictures.p99Ms - streams.texts.p99Ms)
  return {
    againToFirst: of(againShare),
    encodeMs: of((each) => each.firstMs - each.behindOtherTextMs),
    riseMs: median(rises),
  }
}

function table(
  names: readonly string[],
  head: readonly string[],
  cells: (name: string) => readonly string[],
): string[] {
  return markdownTable(
    ['', ...head],
    names.map((name) => [name, ...cells(name)]),
  )
}

function repeats(rounds: readonly VisionRound[], peer: string) {
  const figures = ofPeer(rounds, peer).flatMap((round) => round.repeats)
  return (of: (figures: RepeatFigures) => number) => median(figures.map(of))
}

function streams(rounds: readonly VisionRound[], peer: string, beside: Beside) {
  const figures = ofPeer(rounds, peer).map((round) => round.streams[beside])
  return (of: (figures: StreamFigures) => number) => median(figures.map(of))
}

function ofPeer(rounds: readonly VisionRound[], peer: string): VisionRound[] {
  return rounds.filter((round) => round.peer === peer)
}

const firstMs = (figures: RepeatFigures) => figures.firstMs
const againMs = (figures: RepeatFigures) => figures.againMs
const behindMs = (figures: RepeatFigures) => figures.behindOtherTextMs
const againShare = (figures: RepeatFigures) => figures.againMs / figures.firstMs
const p99Ms = (figures: StreamFigures) => figures.p99Ms

import { describeMachine, type MachineFacts } from '../../shared/machine.ts'
import { markdownTable } from '../../shared/markdown-table.ts'
import { median } from '../../shared/statistics.ts'
import type { Peer } from '../chat/peer.ts'
import type { AgentFigures, MixedFigures, Spent } from './figures.ts'
import type { RoundFigures } from './measure.ts'
import type { AgentsSettings } from './settings.ts'

export interface ReportInput {
  readonly machine: MachineFacts
  readonly settings: AgentsSettings
  readonly model: string
  readonly peers: readonly Peer[]
  readonly rounds: readonly RoundFigures[]
}

/** Column of a table: its heading, its decimals, and its figure. */
type Column<Figures> = readonly [head: string, digits: number, figure: (figures: Figures) => number]

const spentColumns: readonly Column<Spent>[] = [
  ['total s', 1, ({ wallSeconds }) => wallSeconds],
  ['CPU s: engine', 1, ({ engineCpuSeconds }) => engineCpuSeconds],
  ['server', 2, ({ serverCpuSeconds }) => serverCpuSeconds],
]

const thirds = ['first', 'second', 'last']

const agentColumns: readonly Column<Spent & AgentFigures>[] = [
  ...spentColumns,
  ...thirds.flatMap((name, third): Column<Spent & AgentFigures>[] => [
    [`first token p50 ms, ${name} third`, 0, (figures) => figures.thirds[third]?.p50Ms ?? Number.NaN],
    ['p99', 0, (figures) => figures.thirds[third]?.p99Ms ?? Number.NaN],
  ]),
  ['prompt tokens computed', 0, ({ computedTokens }) => computedTokens],
  ['needed', 0, ({ neededTokens }) => neededTokens],
]

const mixedColumns: readonly Column<Spent & MixedFigures>[] = [
  ...spentColumns,
  ['short: first token p50 ms', 0, ({ shortFirstTokenP50Ms }) => shortFirstTokenP50Ms],
  ['p99', 0, ({ shortFirstTokenP99Ms }) => shortFirstTokenP99Ms],
  ['long: first token p50 ms', 0, ({ longFirstTokenP50Ms }) => longFirstTokenP50Ms],
  ['between tokens p99 ms', 0, ({ gapP99Ms }) => gapP99Ms],
]

/**
 * Returns the whole benchmark as Markdown, with medians over the rounds. Ratios are taken in each round, then their
 * median.
 */
export function renderReport({ machine, settings, model, peers, rounds }: ReportInput): string {
  const { turns, scale, mixed, mixedClients, threads, seed } = settings
  const names = peers.map(({ name }) => name)
  const ofAgents = (count: number) =>
    rounds.flatMap((each) => (each.mix === 'agents' && each.agents === count ? each : []))
  const early = rounds.reduce((sum, each) => sum + (each.mix === 'agents' ? each.endedEarly : 0), 0)
  const ofMixed = rounds.flatMap((each) => (each.mix === 'mixed' ? each : []))
  return [
    '# Agents benchmark',
    '',
    ...describeMachine(machine),
    `- model ${model}; ${settings.rounds} interleaved rounds, medians; ${threads} CPU threads for each engine; seed ${seed}`,
    ...peers.map(({ name, description }) => `- ${name}: \`${description}\``),
    ...(early > 0 ? [`- **${early} answers ended before their last token: the figures cannot be compared**`] : []),
    '',
    ...settings.levels.flatMap((count) => {
      const figures = ofAgents(count)
      const longest = Math.max(...figures.map(({ longestPromptTokens }) => longestPromptTokens))
      const title = `## ${count} ${count === 1 ? 'agent' : 'agents'}, ${turns} turns, lengths and pauses times ${scale}: prompts up to ${longest} tokens`
      return [title, '', ...peerTable(agentColumns, names, figures)]
    }),
    ...(mixed === 0
      ? []
      : [
          `## ${mixed} requests of ${mixedClients} clients, 90 % short chats, 10 % long documents`,
          '',
          ...peerTable(mixedColumns, names, ofMixed),
        ]),
  ].join('\n')
}

function peerTable<Figures extends Spent & Pick<RoundFigures, 'peer' | 'round'>>(
  columns: readonly Column<Figures>[],
  names: readonly string[],
  rounds: readonly Figures[],
): string[] {
  const of = (name: string) => rounds.filter(({ peer }) => peer === name)
  const rows = names.map((name) => [
    name,
    ...columns.map(([, digits, figure]) => median(of(name).map(figure)).toFixed(digits)),
  ])
  const [first, other] = names
  if (first === undefined || other === undefined) return markdownTable(['', ...columns.map(([head]) => head)], rows)
  const ratios = columns.map(([, , figure]) => {
    const each = of(first).flatMap((mine) => {
      const theirs = of(other).find(({ round }) => round === mine.round)
      return theirs === undefined ? [] : [figure(mine) / figure(theirs)]
    })
    const ratio = median(each)
    // llama-server answers HTTP in its engine's process, so there is no ratio.
    return Number.isFinite(ratio) ? ratio.toFixed(2) : ''
  })
  return markdownTable(['', ...columns.map(([head]) => head)], [...rows, [`${first} / ${other}`, ...ratios]])
}

import { describeMachine, type MachineFacts } from '../../shared/machine.ts'
import { markdownTable } from '../../shared/markdown-table.ts'
import { median } from '../../shared/statistics.ts'
import type { LevelFigures, LongPromptFigures, RoundFigures } from './measure.ts'
import type { Peer } from './peer.ts'
import { type BenchSettings, contextTokensPerStream } from './settings.ts'

export interface ReportInput {
  readonly machine: MachineFacts
  readonly settings: BenchSettings
  readonly model: string
  readonly peers: readonly Peer[]
  readonly rounds: readonly RoundFigures[]
}

/** Returns the whole benchmark as Markdown: medians over the rounds, then inferd's ratios to the others. */
export function renderReport(input: ReportInput): string {
  const names = input.peers.map((peer) => peer.name)
  return [
    '# Chat benchmark',
    '',
    ...conditions(input),
    ...input.settings.levels.flatMap((streams) => levelTable(streams, names, input.rounds)),
    ...longPromptTable(names, input.rounds),
    ...processTable(names, input.rounds),
    ...names.filter(isOurs).flatMap((mine) => ratioTable(mine, names, input)),
  ].join('\n')
}

function conditions({ machine, settings, model, peers, rounds }: ReportInput): string[] {
  const early = rounds.flatMap(({ levels }) => levels).reduce((sum, level) => sum + level.endedEarly, 0)
  return [
    ...describeMachine(machine),
    `- model ${model}; ${settings.rounds} interleaved rounds, medians; ${settings.tokens} tokens per stream after prompts of about ${settings.promptTokens}; temperature ${settings.temperature}, top_k 40, top_p 0.95, min_p 0.05, seed ${settings.seed}`,
    `- ${settings.threads} CPU threads for each engine, ${contextTokensPerStream(settings)} tokens of context per stream`,
    ...peers.map((peer) => `- ${peer.name}: \`${peer.description}\``),
    ...(early > 0 ? [`- **${early} streams ended before their last token: the figures cannot be compared**`] : []),
    '',
  ]
}

/** Column of a table: its heading, its decimals, and its figure. */
type Column<Figures> = readonly [head: string, digits: number, figure: (figures: Figures) => number | undefined]

const levelColumns: readonly Column<LevelFigures>[] = [
  ['tokens/s', 1, (level) => level.tokensPerSecond],
  ['first token p50 ms', 0, (level) => level.firstTokenP50Ms],
  ['between tokens p50 ms', 1, (level) => level.gapP50Ms],
  ['p99 ms', 1, (level) => level.gapP99Ms],
  ['CPU s: engine', 2, (level) => level.engineCpuSeconds],
  ['server', 2, (level) => level.serverCpuSeconds],
  ['client', 2, (level) => level.clientCpuSeconds],
]

const longPromptColumns: readonly Column<LongPromptFigures>[] = [
  ['prompt tokens/s', 0, (figures) => figures.promptTokensPerSecond],
  ['first token ms', 0, (figures) => figures.freshFirstTokenMs],
  ['engine CPU s', 2, (figures) => figures.freshEngineCpuSeconds],
  ['repeated ms', 0, (figures) => figures.repeatedFirstTokenMs],
  ['cached tokens', 0, (figures) => figures.repeatedCachedTokens],
  ['new ending ms', 0, (figures) => figures.newEndingFirstTokenMs],
  ['cached tokens', 0, (figures) => figures.newEndingCachedTokens],
]

const processColumns: readonly Column<RoundFigures>[] = [
  ['start ms', 0, ({ startMs }) => startMs],
  ['server idle MiB', 0, ({ idleServerMib }) => idleServerMib],
  ['server after MiB', 0, ({ serverMib }) => serverMib],
  ['engine after MiB', 0, ({ engineMib }) => engineMib],
]

function levelTable(streams: number, names: readonly string[], rounds: readonly RoundFigures[]): string[] {
  const title = `## ${streams} ${streams === 1 ? 'stream' : 'concurrent streams'}`
  const ofRound = ({ levels }: RoundFigures) => levels.filter((level) => level.streams === streams)
  return [title, '', ...peerTable(levelColumns, names, (name) => ofPeer(name, rounds).flatMap(ofRound))]
}

function longPromptTable(names: readonly string[], rounds: readonly RoundFigures[]): string[] {
  const tokens = median(rounds.map(({ longPrompt }) => longPrompt.promptTokens))
  const figures = (name: string) => ofPeer(name, rounds).map(({ longPrompt }) => longPrompt)
  return [`## One long prompt (${tokens} tokens), alone`, '', ...peerTable(longPromptColumns, names, figures)]
}

function processTable(names: readonly string[], rounds: readonly RoundFigures[]): string[] {
  return [
    '## Processes',
    '',
    ...peerTable(processColumns, names, (name) => ofPeer(name, rounds)),
    'Start: inferd until it listens (the model is loaded by the first request), the others until the model is loaded.',
    '',
  ]
}

/** Returns a row per peer with the medians of its figures. Cells without figures are empty. */
function peerTable<Figures>(
  columns: readonly Column<Figures>[],
  names: readonly string[],
  figuresOf: (name: string) => readonly Figures[],
): string[] {
  const rows = names.map((name) => {
    const figures = figuresOf(name)
    const cells = columns.map(([, digits, figure]) => {
      const values = figures.flatMap((each) => figure(each) ?? [])
      return values.length === 0 ? '' : median(values).toFixed(digits)
    })
    return [name, ...cells]
  })
  return markdownTable(['', ...columns.map(([head]) => head)], rows)
}

/** Returns the medians of the ratios in each round: a disturbance of one round affects all its peers. */
function ratioTable(mine: string, names: readonly string[], { settings, rounds }: ReportInput): string[] {
  const others = names.filter((name) => !isOurs(name))
  if (others.length === 0) return []
  const ratio = (other: string, of: (figures: RoundFigures) => number) =>
    median(
      ofPeer(mine, rounds).flatMap((ours) => {
        const theirs = ofPeer(other, rounds).find(({ round }) => round === ours.round)
        return theirs === undefined ? [] : [of(ours) / of(theirs)]
      }),
    ).toFixed(2)
  const level = (streams: number, of: (level: LevelFigures) => number) => (figures: RoundFigures) =>
    of(figures.levels.find((found) => found.streams === streams) ?? missingLevel(streams))
  const repeated = ({ longPrompt }: RoundFigures) => longPrompt.repeatedFirstTokenMs / longPrompt.freshFirstTokenMs
  const all = settings.levels.flatMap((streams) => [
    {
      title: `tokens/s at ${streams}, higher is better`,
      of: level(streams, ({ tokensPerSecond }) => tokensPerSecond),
    },
    {
      title: `first token at ${streams}, lower is better`,
      of: level(streams, ({ firstTokenP50Ms }) => firstTokenP50Ms),
    },
    { title: `between tokens p99 at ${streams}, lower is better`, of: level(streams, ({ gapP99Ms }) => gapP99Ms) },
  ])
  all.push({
    title: 'long prompt tokens/s, higher is better',
    of: ({ longPrompt }) => longPrompt.promptTokensPerSecond,
  })
  return [
    `## ${mine} divided by the other`,
    '',
    ...markdownTable(
      ['', ...others],
      all.map(({ title, of }) => [title, ...others.map((other) => ratio(other, of))]),
    ),
    `Repeated long prompt, first token against its first time: ${names
      .map((name) => `${name} ${median(ofPeer(name, rounds).map(repeated)).toFixed(3)}`)
      .join(', ')}.`,
    '',
  ]
}

/** Returns whether a peer is inferd, in either way of running it. */
function isOurs(name: string): boolean {
  return name.startsWith('inferd')
}

function ofPeer(name: string, rounds: readonly RoundFigures[]): RoundFigures[] {
  return rounds.filter(({ peer }) => peer === name)
}

function missingLevel(streams: number): never {
  throw new Error(`a round lacks the figures of ${streams} streams: this is a bug`)
}

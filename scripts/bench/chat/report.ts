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

/** The whole benchmark as Markdown: medians over the rounds, then inferd's ratios to the others. */
export function renderReport(input: ReportInput): string {
  const names = input.peers.map((peer) => peer.name)
  return [
    '# Chat benchmark',
    '',
    ...conditions(input),
    ...input.settings.levels.flatMap((streams) => levelTable(streams, names, input.rounds)),
    ...longPromptTable(names, input.rounds),
    ...processTable(names, input.rounds),
    ...ratioTable(names, input),
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

function levelTable(streams: number, names: readonly string[], rounds: readonly RoundFigures[]): string[] {
  const figure = (name: string, of: (level: LevelFigures) => number) =>
    median(ofPeer(name, rounds).flatMap(({ levels }) => levels.filter((level) => level.streams === streams).map(of)))
  return [
    `## ${streams} ${streams === 1 ? 'stream' : 'concurrent streams'}`,
    '',
    ...markdownTable(
      ['', 'tokens/s', 'first token p50 ms', 'between tokens p50 ms', 'p99 ms', 'CPU s: engine', 'server', 'client'],
      names.map((name) => [
        name,
        figure(name, (level) => level.tokensPerSecond).toFixed(1),
        figure(name, (level) => level.firstTokenP50Ms).toFixed(0),
        figure(name, (level) => level.gapP50Ms).toFixed(1),
        figure(name, (level) => level.gapP99Ms).toFixed(1),
        figure(name, (level) => level.engineCpuSeconds).toFixed(2),
        figure(name, (level) => level.serverCpuSeconds).toFixed(2),
        figure(name, (level) => level.clientCpuSeconds).toFixed(2),
      ]),
    ),
  ]
}

function longPromptTable(names: readonly string[], rounds: readonly RoundFigures[]): string[] {
  const figure = (name: string, of: (figures: LongPromptFigures) => number) =>
    median(ofPeer(name, rounds).map(({ longPrompt }) => of(longPrompt)))
  const tokens = median(rounds.map(({ longPrompt }) => longPrompt.promptTokens))
  return [
    `## One long prompt (${tokens} tokens), alone`,
    '',
    ...markdownTable(
      [
        '',
        'prompt tokens/s',
        'first token ms',
        'engine CPU s',
        'repeated ms',
        'cached tokens',
        'new ending ms',
        'cached tokens',
      ],
      names.map((name) => [
        name,
        figure(name, (figures) => figures.promptTokensPerSecond).toFixed(0),
        figure(name, (figures) => figures.freshFirstTokenMs).toFixed(0),
        figure(name, (figures) => figures.freshEngineCpuSeconds).toFixed(2),
        figure(name, (figures) => figures.repeatedFirstTokenMs).toFixed(0),
        figure(name, (figures) => figures.repeatedCachedTokens).toFixed(0),
        figure(name, (figures) => figures.newEndingFirstTokenMs).toFixed(0),
        figure(name, (figures) => figures.newEndingCachedTokens).toFixed(0),
      ]),
    ),
  ]
}

function processTable(names: readonly string[], rounds: readonly RoundFigures[]): string[] {
  const figure = (name: string, of: (figures: RoundFigures) => number | undefined) => {
    const values = ofPeer(name, rounds).flatMap((figures) => of(figures) ?? [])
    return values.length === 0 ? '' : median(values).toFixed(0)
  }
  return [
    '## Processes',
    '',
    ...markdownTable(
      ['', 'start ms', 'server idle MiB', 'server after MiB', 'engine after MiB'],
      names.map((name) => [
        name,
        figure(name, ({ startMs }) => startMs),
        figure(name, ({ idleServerMib }) => idleServerMib),
        figure(name, ({ serverMib }) => serverMib),
        figure(name, ({ engineMib }) => engineMib),
      ]),
    ),
    'Start: inferd until it listens (the model is loaded by the first request), the others until the model is loaded.',
    '',
  ]
}

/** Ratios are taken within each round, then their median: what disturbs one round disturbs all of its peers. */
function ratioTable(names: readonly string[], { settings, rounds }: ReportInput): string[] {
  const others = names.filter((name) => name !== 'inferd')
  if (others.length === names.length) return []
  const ratio = (other: string, of: (figures: RoundFigures) => number) =>
    median(
      ofPeer('inferd', rounds).flatMap((mine) => {
        const theirs = ofPeer(other, rounds).find(({ round }) => round === mine.round)
        return theirs === undefined ? [] : [of(mine) / of(theirs)]
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
    '## inferd divided by the other',
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

function ofPeer(name: string, rounds: readonly RoundFigures[]): RoundFigures[] {
  return rounds.filter(({ peer }) => peer === name)
}

function missingLevel(streams: number): never {
  throw new Error(`a round lacks the figures of ${streams} streams: this is a bug`)
}

import { markdownTable } from '../../shared/markdown-table.ts'
import { median } from '../../shared/statistics.ts'

/** Kind of load: numbers of clients, of texts per request, and of tokens per text. */
export interface Cell {
  readonly clients: number
  readonly inputs: number
  readonly tokens: number
}

/** Result of one server under one load in one round. */
export interface Measured extends Cell {
  readonly name: string
  readonly tokensPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Share of the ceiling in the same round. */
  readonly ratio: number
}

export interface Ceiling {
  readonly tokens: number
  readonly tokensPerSecond: number
  readonly rows: number
}

/** Returns medians over the rounds as a Markdown table. */
export function renderEmbedReport(measured: readonly Measured[], ceilings: readonly Ceiling[]): string {
  const cells = new Map<string, Measured[]>()
  for (const each of measured) {
    const key = [each.tokens, each.inputs, each.clients, each.name].join(' ')
    cells.set(key, [...(cells.get(key) ?? []), each])
  }
  const middle = (rounds: readonly Measured[], of: (one: Measured) => number) => median(rounds.map(of))
  const rows = [...cells.values()].map((rounds) => {
    const [{ name, clients, inputs, tokens } = { name: '', clients: 0, inputs: 0, tokens: 0 }] = rounds
    return [
      ...[name, tokens, inputs, clients].map(String),
      middle(rounds, ({ tokensPerSecond }) => tokensPerSecond).toFixed(0),
      middle(rounds, ({ ratio }) => ratio).toFixed(2),
      middle(rounds, ({ p50Ms }) => p50Ms).toFixed(1),
      middle(rounds, ({ p99Ms }) => p99Ms).toFixed(1),
    ]
  })
  const lengths = [...new Set(ceilings.map(({ tokens }) => tokens))]
  const tops = lengths.map((tokens) => {
    const rounds = ceilings.filter((ceiling) => ceiling.tokens === tokens)
    return `- ceiling at ${tokens} tokens: ${median(rounds.map(({ tokensPerSecond }) => tokensPerSecond)).toFixed(0)} tokens/s, ${rounds[0]?.rows} texts a batch`
  })
  const head = ['', 'tokens a text', 'texts', 'clients', 'tokens/s', 'of the ceiling', 'p50 ms', 'p99 ms']
  return [...tops, '', ...markdownTable(head, rows)].join('\n')
}

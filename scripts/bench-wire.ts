/**
 * Measures how fast each dialect turns an answer's events into bytes, and whether long answers cost more. See
 * docs/benchmarks.md.
 */
import { join } from 'node:path'
import { wireSubjects } from './bench/wire/dialects.ts'
import { answerEvents } from './bench/wire/events.ts'
import { measureGrowth, measureRate } from './bench/wire/measure-sink.ts'
import { readerSubjects } from './bench/wire/reply-readers.ts'
import { hasGrown, rateGoal, renderWireReport, type WireRow } from './bench/wire/report.ts'
import { readFlags, runScript } from './shared/command-line.ts'
import { readMachine } from './shared/machine.ts'

const usage = 'usage: bun run bench:wire [--events 100000] [--tokens 32000] [--rounds 7] [--only TEXT]'
const root = join(import.meta.dir, '..')
/** Pieces in a block. An answer's first and last block are compared. */
const blockSize = 1000

interface Settings {
  /** Pieces of the answer that measures speed. */
  readonly events: number
  /** Pieces of the answer that measures growth. */
  readonly tokens: number
  readonly rounds: number
  /** Part of the names of the subjects to run. Empty for all. */
  readonly only: string
}

async function main(): Promise<number> {
  const settings = readFlags({ events: 100_000, tokens: 32_000, rounds: 7, only: '' })
  const rows = [...measureDialects(settings), ...(await measureReaders(settings))]
  console.log(renderWireReport(await readMachine(), settings, rows))
  const missed = rows.filter(({ goal, rate, growth }) => rate.perCpuSecond < goal || hasGrown(growth))
  for (const { name, kind } of missed) console.error(`misses a goal: ${name}, ${kind}`)
  return missed.length === 0 ? 0 : 1
}

function measureDialects({ events, tokens, rounds, only }: Settings): WireRow[] {
  return wireSubjects()
    .filter(({ name }) => name.includes(only))
    .flatMap(({ name, kinds, open }) =>
      kinds.map((kind) => ({
        name,
        kind,
        goal: rateGoal,
        rate: measureRate(open, answerEvents(kind, events), rounds),
        growth: measureGrowth(open, answerEvents(kind, tokens), { blockSize, rounds: 3 * rounds }),
      })),
    )
}

async function measureReaders({ tokens, rounds, only }: Settings): Promise<WireRow[]> {
  const subjects = await readerSubjects(root, tokens)
  return subjects
    .filter(({ name }) => name.includes(only))
    .map(({ name, kind, open, answer }) => ({
      name,
      kind,
      // No goal: the engine itself needs a millisecond or more per token, so only growth matters.
      goal: 0,
      rate: measureRate(open, answer, rounds),
      growth: measureGrowth(open, answer, { blockSize, rounds: 3 * rounds }),
    }))
}

runScript(usage, main)

/** Compares the time and chances of choosing tokens with llama.cpp's chain of samplers. See docs/benchmarks.md. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTestAddon } from '../src/testing/native-options.ts'
import { crowdFigures, usual, withWideModel } from './bench/sampling/crowd.ts'
import { deviations, plainSettings, SamplingProgram, type SamplingSettings } from './bench/sampling/sampling-program.ts'
import { readCounts, readFlags, runScript } from './shared/command-line.ts'
import { markdownTable } from './shared/markdown-table.ts'

const usage = `usage: bun run bench:sampling [--parts times,chances,crowd] [--vocabularies 32000,128000,256000] [--draws 100000]
  [--streams 16] [--threads 2] [--steps 60]
  times    ms a token of one thread, inferd / llama.cpp's chain
  chances  draws beside llama.cpp's chances, by chi-square
  crowd    tokens/s of an answer with usual settings beside others`

const combinations: Readonly<Record<string, Partial<SamplingSettings>>> = {
  greedy: { temperature: 0 },
  'top-k 40, top-p 0.95, min-p 0.05, 0.8': usual,
  'temperature 1 alone': {},
  'top-p 0.95': { topP: 0.95 },
  'top-p 0.9, min-p 0.02, temperature 1.5': { topP: 0.9, minP: 0.02, temperature: 1.5 },
  'min-p 0.05': { minP: 0.05 },
  'top-k 1000, top-p 0.95': { topK: 1000, topP: 0.95 },
  'all penalties, 100 biased, top-p 0.95': {
    ...{ repeatPenalty: 1.1, presencePenalty: 0.5, frequencyPenalty: 0.2, biasedTokens: 100, topP: 0.95 },
  },
}

const shapes = { 'some stand out': { spread: 2, peak: 18 }, 'hardly any does': { spread: 2, peak: 0 } }

async function main(): Promise<number> {
  const flags = readFlags({
    ...{ parts: 'times,chances,crowd', vocabularies: '32000,128000,256000' },
    ...{ draws: 100_000, streams: 16, threads: 2, steps: 60 },
  })
  const vocabularies = readCounts('vocabularies', flags.vocabularies)
  const parts = flags.parts.split(',')
  const folder = mkdtempSync(join(tmpdir(), 'inferd-sampling-'))
  try {
    const program = await SamplingProgram.compile(folder)
    if (parts.includes('times')) await printTimes(program, vocabularies)
    if (parts.includes('chances')) await printChances(program, vocabularies[0] ?? 32_000, flags.draws)
    if (parts.includes('crowd')) await printCrowds(flags)
  } finally {
    rmSync(folder, { recursive: true })
  }
  return 0
}

async function printTimes(program: SamplingProgram, vocabularies: readonly number[]): Promise<void> {
  for (const [shape, logits] of Object.entries(shapes)) {
    const rows: string[][] = []
    for (const [name, settings] of Object.entries(combinations)) {
      const cells: string[] = []
      for (const vocabulary of vocabularies) {
        const { inferdMs, llamaMs } = await program.times({ ...plainSettings, ...logits, ...settings, vocabulary })
        cells.push(`${inferdMs.toFixed(3)} / ${llamaMs.toFixed(2)}`)
      }
      rows.push([name, ...cells])
    }
    console.log(markdownTable([`ms a token; logits: ${shape}`, ...vocabularies.map(String)], rows).join('\n'))
  }
}

async function printChances(program: SamplingProgram, vocabulary: number, draws: number): Promise<void> {
  const rows: string[][] = []
  for (const [name, settings] of Object.entries(combinations)) {
    const all = { ...plainSettings, peak: 6, ...settings, vocabulary }
    const chances = await program.chances({ ...all, temperature: all.temperature === 0 ? 1 : all.temperature }, draws)
    const { chiSquare, degreesOfFreedom, kept, neverDraws, isGreedySame } = chances
    const figures = [kept, chiSquare.toFixed(1), degreesOfFreedom, deviations(chances).toFixed(2), neverDraws]
    rows.push([name, ...figures.map(String), isGreedySame ? 'same' : 'another'])
  }
  const head = ['kept', 'chi-square', 'degrees of freedom', 'standard deviations', 'never drawn by llama.cpp', 'greedy']
  console.log(markdownTable([`${draws} draws of ${vocabulary}`, ...head], rows).join('\n'))
}

async function printCrowds(flags: { streams: number; threads: number; steps: number }): Promise<void> {
  const addon = await openTestAddon()
  const crowds = {
    ...{ 'usual settings': usual, 'top_k 0': { topP: 0.95 }, 'top_k 0, top_p 1': {}, greedy: { temperature: 0 } },
    ...{ 'top_k 0, temperature 1.5': { temperature: 1.5, topP: 0.9 }, logprobs: { ...usual, topLogprobs: 20 } },
    ...{ penalties: { ...usual, presencePenalty: 1, repeatPenalty: 1.1 } },
  }
  const figures = await withWideModel(join(import.meta.dir, '..'), addon, (model) =>
    crowdFigures(addon, model, Object.values(crowds), flags),
  )
  const rows = Object.keys(crowds).map((name, index) => [name, (figures[index] ?? 0).toFixed(1)])
  console.log(markdownTable([`beside ${flags.streams - 1} with`, 'tokens/s of the other'], rows).join('\n'))
}

runScript(usage, main)

/** Compares the addon's choices with those of llama.cpp's chain of samplers, which sorts. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deviations, plainSettings, SamplingProgram, type SamplingSettings } from './sampling-program.ts'

const draws = 100_000
/** Draws from a large vocabulary without top-k, each of which takes ten times as long as others. */
const slowDraws = 25_000
const folder = mkdtempSync(join(tmpdir(), 'inferd-sampling-'))
let program: SamplingProgram

beforeAll(async () => {
  program = await SamplingProgram.compile(folder)
}, 60_000)

afterAll(() => rmSync(folder, { recursive: true }))

/** Logits that hardly differ, so that thousands of tokens are as likely as the first. */
const flat = { spread: 0.3, peak: 0 }

const cases: Readonly<Record<string, Partial<SamplingSettings>>> = {
  'temperature alone': { spread: 1, peak: 5 },
  'a low temperature': { temperature: 0.3, spread: 1, peak: 2 },
  'a high temperature': { temperature: 2 },
  'top-p': { topP: 0.9, peak: 5 },
  'top-p, hot': { topP: 0.9, temperature: 1.8, peak: 8 },
  'top-p, cold': { topP: 0.9, temperature: 0.6, peak: 5 },
  'top-p that keeps one token': { topP: 0.0001 },
  'min-p': { minP: 0.02, peak: 6 },
  'top-k of less than there are blocks': { topK: 20, peak: 5 },
  'top-k of more than there are blocks': { topK: 500, ...flat },
  'top-k of nearly all': { topK: 1499, ...flat },
  'top-k, top-p, min-p and a temperature': { topK: 40, topP: 0.95, minP: 0.05, temperature: 0.8, peak: 5 },
  'a large top-k with top-p and min-p': { topK: 600, topP: 0.8, minP: 0.3, temperature: 1.4, ...flat },
  'flat logits': { ...flat, topP: 0.5, temperature: 1.5 },
  'flat logits and a hot top-p': { spread: 2, peak: 0, topP: 0.9, temperature: 1.5 },
  'equal logits and a hot top-p': { grid: 0.5, spread: 1, peak: 0, topP: 0.7, temperature: 2 },
  'flat logits, a hot top-p and min-p': { spread: 1, peak: 0, topP: 0.9, minP: 0.1, temperature: 1.3 },
  'flat logits and a cold top-p': { ...flat, topP: 0.99, temperature: 0.5 },
  'equal logits': { grid: 0.5, spread: 1, peak: 0, topP: 0.7 },
  'equal logits at the border of top-k': { grid: 0.5, spread: 1, peak: 0, topK: 150 },
  'equal logits at the border of a large top-k': { grid: 0.5, spread: 1, peak: 0, topK: 1000, topP: 0.9 },
  'nothing but equal logits': { spread: 0, peak: 0, topP: 0.5, topK: 700 },
  bias: { biasedTokens: 300, peak: 4, topP: 0.95 },
  penalties: { repeatPenalty: 1.3, presencePenalty: 0.5, frequencyPenalty: 0.3, peak: 5, topP: 0.95 },
  'penalties beyond all others': { frequencyPenalty: 100, topK: 1200, topP: 0.9, ...flat },
  'everything at once': {
    ...{ repeatPenalty: 1.1, presencePenalty: 1, frequencyPenalty: -0.2, biasedTokens: 100, peak: 5 },
    ...{ topK: 200, topP: 0.9, minP: 0.01, temperature: 1.2 },
  },
  'ten tokens that a grammar leaves': { ...flat, leftTokens: 10, topK: 20 },
  'ten tokens that a grammar leaves of many, and the usual settings': {
    ...{ ...flat, vocabulary: 32_064, leftTokens: 10, topK: 40, topP: 0.95, minP: 0.05, temperature: 0.8 },
  },
  'a few blocks that a grammar leaves of many': { ...flat, vocabulary: 32_064, leftTokens: 300, topK: 40, topP: 0.9 },
  'a few blocks that a grammar leaves of many, without top-k': {
    ...flat,
    vocabulary: 32_064,
    leftTokens: 300,
    topP: 0.9,
  },
  'a vocabulary of less than a block': { vocabulary: 40, ...flat, topK: 10, topP: 0.9 },
  'a vocabulary of one token': { vocabulary: 1, topK: 1, topP: 0.9 },
  'a vocabulary of 32,064 and the usual settings': {
    ...{ vocabulary: 32_064, topK: 40, topP: 0.95, minP: 0.05, temperature: 0.8, peak: 5 },
  },
}

async function compare(settings: Partial<SamplingSettings>, draws: number): Promise<void> {
  const chances = await program.chances({ ...plainSettings, ...settings }, draws)
  expect(chances.neverDraws).toBe(0)
  expect(chances.drawn).toBeLessThanOrEqual(chances.kept)
  // Exceeded by chance once in 30,000 times. The draws are the same in each run.
  expect(deviations(chances)).toBeLessThan(4)
  expect(chances.isGreedySame).toBe(true)
}

describe(`${draws.toLocaleString('en')} draws have the chances that llama.cpp gives tokens:`, () => {
  for (const [name, settings] of Object.entries(cases)) test(name, () => compare(settings, draws))
})

test('so have draws from a vocabulary of 32,064 without top-k', () =>
  compare({ vocabulary: 32_064, topP: 0.9, peak: 7 }, slowDraws))

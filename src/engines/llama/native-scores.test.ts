/** Scores of prompts that the addon computes, against teacher-forced ones: each token alone, chosen by a bias. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { greedySampler, openTestAddon, testContextOptions } from '../../testing/native-options.ts'
import type { NativeAddon, NativeBatch, NativeModel, NativeScores, NativeStepper } from './native.ts'
import { loadOptions, onCpu } from './placement.ts'

const modelPath = join(import.meta.dir, '..', '..', '..', 'models', 'starter', 'starter-chat-q8_0.gguf')

let addon: NativeAddon
let model: NativeModel
let context: NativeStepper
let tokens: Int32Array

beforeAll(async () => {
  addon = await openTestAddon()
  model = await addon.loadModel(loadOptions(modelPath, onCpu))
  context = new addon.Context(model, testContextOptions)
  tokens = await model.tokenize('The quick brown fox jumps over the lazy dog, and then it sleeps.', false, true)
})

afterAll(async () => {
  await context.close()
  model.close()
})

function batchOf(from: number, to: number, more: Partial<NativeBatch> = {}): NativeBatch {
  const positions = Int32Array.from({ length: to - from }, (_, index) => from + index)
  return {
    tokens: tokens.slice(from, to),
    positions,
    sequences: new Int32Array(to - from),
    outputs: [],
    ...more,
  }
}

async function scoresOf(batch: NativeBatch): Promise<readonly NativeScores[]> {
  const result = await context.step(batch)
  if (result.kind !== 'ok' || result.scores === undefined) throw new Error('no scores')
  return result.scores
}

/** Decodes one token at a time. Returns the log probability of each next token, and the likeliest tokens. */
async function teacherForced() {
  context.removeSequence(0, 0, -1)
  const found = []
  for (let at = 0; at + 1 < tokens.length; at++) {
    const logitBias = [tokens[at + 1] ?? 0, 100]
    const sampler = new addon.Sampler(model, { ...greedySampler, logitBias, topLogprobs: 5 })
    const result = await context.step(batchOf(at, at + 1, { outputs: [{ entry: 0, sampler }] }))
    const sample = result.kind === 'ok' ? result.samples[0]?.[0] : undefined
    expect(sample?.token).toBe(tokens[at + 1] ?? -1)
    found.push({ logprob: sample?.logprob ?? 0, alternatives: sample?.alternatives ?? [] })
  }
  return found
}

test('scores of whole and of cut prompts equal teacher-forced ones', async () => {
  const expected = await teacherForced()
  for (const cuts of [[tokens.length - 1], [1, 6, 7, tokens.length - 1]]) {
    context.removeSequence(0, 0, -1)
    let from = 0
    const logprobs: number[] = []
    const tops: number[][] = []
    const ranks: number[] = []
    for (const to of cuts) {
      const [scores] = await scoresOf(
        batchOf(from, to, { scores: [{ entry: 0, next: tokens.slice(from + 1, to + 1), top: 5 }] }),
      )
      if (scores === undefined) throw new Error('no scores')
      logprobs.push(...scores.logprobs)
      ranks.push(...scores.ranks)
      for (let row = 0; row < to - from; row++) {
        const top = [...scores.topTokens.slice(row * 5, row * 5 + 5)]
        tops.push(top)
        const place = top.indexOf(tokens[from + row + 1] ?? -1)
        // The token's own number is the very number of its entry.
        if (place >= 0) expect(scores.topLogprobs[row * 5 + place]).toBe(scores.logprobs[row] ?? 0)
        if (place >= 0) expect(scores.ranks[row]).toBe(place + 1)
        else expect(scores.ranks[row]).toBeGreaterThan(5)
      }
      from = to
    }
    for (const [index, { logprob, alternatives }] of expected.entries()) {
      expect(Math.abs((logprobs[index] ?? 0) - logprob)).toBeLessThan(1e-4)
      expect(tops[index]).toEqual(alternatives.map(({ token }) => token))
    }
    expect(ranks).toHaveLength(expected.length)
  }
})

test('a prompt is scored beside a sampled answer, and a step that scores is not continued', async () => {
  context.removeSequence(0, 0, -1)
  context.removeSequence(1, 0, -1)
  const sampler = new addon.Sampler(model, greedySampler)
  const step = context.step({
    tokens: tokens.slice(0, 4),
    positions: Int32Array.from([0, 1, 0, 1]),
    sequences: Int32Array.from([0, 0, 1, 1]),
    outputs: [{ entry: 3, sampler }],
    scores: [{ entry: 0, next: tokens.slice(1, 3), top: 0 }],
  })
  const next = await Promise.resolve(context.nextStep()).catch(({ message }: Error) => message)
  // The step may have ended already.
  expect(next ?? 'a step follows').toContain('a step follows')
  const result = await step
  expect(result).toMatchObject({ kind: 'ok', samples: [[{ token: expect.any(Number) }]] })
  expect(result.kind === 'ok' ? result.scores?.[0]?.logprobs.length : 0).toBe(2)
})

test.each<[why: string, scores: NativeBatch['scores'], words: string]>([
  ['behind the batch', [{ entry: 3, next: Int32Array.of(1, 2), top: 1 }], 'at most 1 after entry 3'],
  ['of nothing', [{ entry: 0, next: new Int32Array(), top: 1 }], 'at least one token'],
  ['of unknown tokens', [{ entry: 0, next: Int32Array.of(1_000_000), top: 1 }], 'unknown token 1000000'],
  ['of negative tokens', [{ entry: 0, next: Int32Array.of(-1), top: 1 }], 'unknown token -1'],
  ['with many alternatives', [{ entry: 0, next: Int32Array.of(1), top: 21 }], 'top'],
])('scores %s are refused', async (_, scores, words) => {
  context.removeSequence(0, 0, -1)
  await expect(context.step(batchOf(0, 4, { ...(scores && { scores }) }))).rejects.toThrow(words)
})

test('more scores than rows are reserved for are refused', async () => {
  const small = new addon.Context(model, { ...testContextOptions, sequences: 1 })
  expect(small.maxOutputs).toBe(32)
  const long = Int32Array.from({ length: 40 }, () => tokens[0] ?? 0)
  const positions = Int32Array.from(long.keys())
  const scores = [{ entry: 0, next: long.slice(0, 33), top: 0 }]
  const step = small.step({ tokens: long, positions, sequences: new Int32Array(40), outputs: [], scores })
  await expect(step).rejects.toThrow('outputs after 33 entries, at most 32')
  await small.close()
})

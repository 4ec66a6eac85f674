/** Tokens proposed to the native step: right or wrong, they never change an answer. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeModel } from '../../testing/gguf/model-file.ts'
import { modelOfShape, proportionedShape } from '../../testing/gguf/sized-shape.ts'
import { greedySampler, openTestAddon, testContextOptions } from '../../testing/native-options.ts'
import type {
  NativeAddon,
  NativeBatch,
  NativeContext,
  NativeModel,
  NativeSample,
  NativeSampler,
  NativeSamplerOptions,
} from './native.ts'
import { loadOptions, onCpu } from './placement.ts'

const modelPath = join(import.meta.dir, '..', '..', '..', 'models', 'starter', 'starter-chat-q8_0.gguf')

let addon: NativeAddon
let model: NativeModel
let context: NativeContext
let prompt: readonly number[]
let endTokens: readonly number[]

beforeAll(async () => {
  addon = await openTestAddon()
  model = await addon.loadModel(loadOptions(modelPath, onCpu))
  context = new addon.Context(model, testContextOptions)
  const text = '<|im_start|>user\nHello, who are you?<|im_end|>\n<|im_start|>assistant\n'
  prompt = [...(await model.tokenize(text, true, true))]
  endTokens = [...(await model.tokenize('<|im_end|><|endoftext|>', false, true))]
})

afterAll(async () => {
  await context.close()
  model.close()
})

function newSampler(options: Partial<NativeSamplerOptions> = {}): NativeSampler {
  return new addon.Sampler(model, { ...greedySampler, ...options })
}

/** Tokens of one sequence, the last `drafts` of which are proposed. */
function batchOf(
  tokens: readonly number[],
  sampler: NativeSampler,
  { drafts = 0, sequence = 0, position = context.maxPosition(sequence) + 1 } = {},
): NativeBatch {
  return {
    tokens: Int32Array.from(tokens),
    positions: Int32Array.from(tokens, (_, index) => position + index),
    sequences: new Int32Array(tokens.length).fill(sequence),
    outputs: [{ entry: tokens.length - 1 - drafts, sampler, drafts }],
  }
}

async function samplesOf(batch: NativeBatch): Promise<readonly NativeSample[]> {
  const result = await context.step(batch)
  if (result.kind === 'cache-full') throw new Error('the cache is full')
  return result.samples[0] ?? []
}

/** Generates an answer. `propose` returns the proposals for the answer so far. */
async function generate(
  sampler: NativeSampler,
  propose: (answer: readonly number[]) => readonly number[],
  limit = 60,
): Promise<{ samples: readonly NativeSample[]; steps: number }> {
  context.removeSequence(0, 0, -1)
  const samples: NativeSample[] = []
  const tokens = [...prompt]
  for (let steps = 0; ; steps++) {
    const drafts = steps === 0 ? [] : propose(samples.map(({ token }) => token))
    const next = tokens.slice(context.maxPosition(0) + 1)
    const taken = await samplesOf(batchOf([...next, ...drafts], sampler, { drafts: drafts.length }))
    expect(taken.length).toBeGreaterThan(0)
    samples.push(...taken)
    tokens.push(...taken.map(({ token }) => token))
    const last = taken.at(-1)
    if (last?.end !== undefined || last?.error !== undefined || samples.length >= limit) return { samples, steps }
    context.removeSequence(0, tokens.length - 1, -1)
  }
}

const word = () => new TextDecoder().decode(model.tokenBytes(500, false))
const jsonList = 'root ::= "[" [0-9]+ ("," [0-9]+){3,9} "]"'
const answers: Readonly<Record<string, () => Partial<NativeSamplerOptions>>> = {
  'the most likely text': () => ({}),
  'a seed': () => ({ temperature: 1, seed: 7, topK: 40, topP: 0.95 }),
  penalties: () => ({ presencePenalty: 0.5, frequencyPenalty: 0.5, repeatPenalty: 1.2 }),
  'log probabilities': () => ({ topLogprobs: 3 }),
  'a grammar': () => ({ grammar: jsonList, temperature: 1 }),
  'a grammar that waits': () => ({
    logitBias: [500, 5],
    grammar: `root ::= ${JSON.stringify(word())} "Z"`,
    grammarLazy: true,
    grammarTriggers: [{ type: 'word', value: word() }],
  }),
  'a stop string': () => ({ stops: ['inferd'] }),
  'a budget of thinking': () => ({
    generationPrompt: '<think>\n',
    thinkingStartTag: '<think>',
    thinkingEndTags: ['</think>'],
    thinkingBudgetTokens: 6,
  }),
  'a grammar that ends in a contradiction': () => ({
    grammar: 'root ::= "one two three"',
    logitBias: endTokens.flatMap((token) => [token, -100]),
  }),
}

/** Proposals from the answer so far and the whole one: right, wrong from some token on, and beyond the end. */
const proposals: Readonly<Record<string, (place: number, whole: readonly number[]) => readonly number[]>> = {
  'that are all right': (place, whole) => whole.slice(place, place + 7),
  'of which some are right': (place, whole) => whole.slice(place, place + 9).map((t, i) => (i < place % 5 ? t : t ^ 1)),
  'that are all wrong': (place, whole) => whole.slice(place, place + 5).map((token) => token ^ 1),
  'that go on behind the end': (place, whole) => [...whole.slice(place), 100, 101, 102].slice(0, 31),
}

describe.each(Object.entries(answers))('an answer with %s', (kind, options) => {
  test.each(Object.entries(proposals))('stays the same under proposals %s', async (name, propose) => {
    const { samples: expected } = await generate(newSampler(options()), () => [])
    const whole = expected.map(({ token }) => token).filter((token) => token >= 0)
    const { samples, steps } = await generate(newSampler(options()), (answer) => propose(answer.length, whole))
    expect(samples.slice(0, expected.length).map(rounded)).toEqual(expected.map(rounded))
    expect(expected.some(({ error }) => error !== undefined)).toBe(kind.includes('contradiction'))
    if (!name.includes('wrong')) expect(steps).toBeLessThan(expected.length - 1)
  })
})

/** Rounds log probabilities: other numbers of rows in a step change the last bits. */
function rounded({ logprob, alternatives, ...sample }: NativeSample) {
  return {
    ...sample,
    logprob: logprob?.toFixed(2),
    alternatives: alternatives?.map((other) => [other.token, other.logprob.toFixed(2)]),
  }
}

test('answers with and without proposals share a step', async () => {
  const { samples: expected } = await generate(newSampler(), () => [])
  const [first = -1, ...rest] = expected.map(({ token }) => token)
  const samplers = [newSampler(), newSampler()]
  for (const sequence of [0, 1]) context.removeSequence(sequence, 0, -1)
  for (const [sequence, sampler] of samplers.entries()) await samplesOf(batchOf(prompt, sampler, { sequence }))
  const [drafted, plain] = samplers.map((sampler, sequence) => {
    const proposed = sequence === 0 ? rest.slice(0, 4) : []
    return batchOf([first, ...proposed], sampler, { drafts: proposed.length, sequence })
  })
  if (drafted === undefined || plain === undefined) throw new Error('two batches')
  const result = await context.step({
    tokens: Int32Array.from([...drafted.tokens, ...plain.tokens]),
    positions: Int32Array.from([...drafted.positions, ...plain.positions]),
    sequences: Int32Array.from([...drafted.sequences, ...plain.sequences]),
    outputs: [...drafted.outputs, ...plain.outputs.map((output) => ({ ...output, entry: drafted.tokens.length }))],
  })
  if (result.kind === 'cache-full') throw new Error('the cache is full')
  const tokens = result.samples.map((taken) => taken.map(({ token }) => token))
  expect(tokens).toEqual([rest.slice(0, 5), rest.slice(0, 1)])
})

test('proposals that do not fit the cache change nothing', async () => {
  const sampler = newSampler()
  context.removeSequence(0, 0, -1)
  context.removeSequence(1, 0, -1)
  const filler = Array.from({ length: testContextOptions.batchTokens }, () => 100)
  await context.step({ ...batchOf(filler, sampler, { sequence: 1 }), outputs: [] })
  const room = testContextOptions.contextTokens - filler.length - prompt.length
  const [first] = await samplesOf(batchOf([...prompt], sampler))
  await context.step({ ...batchOf(filler.slice(0, room - 4), sampler, { sequence: 1 }), outputs: [] })
  const next = first?.token ?? -1
  const proposed = Array.from({ length: 8 }, () => 100)
  const full = await context.step(batchOf([next, ...proposed], sampler, { drafts: 8 }))
  expect(full).toEqual({ kind: 'cache-full' })
  expect(context.maxPosition(0)).toBe(prompt.length - 1)
  expect(await samplesOf(batchOf([next], sampler))).toHaveLength(1)
  context.removeSequence(1, 0, -1)
})

test('a model whose memory cannot be cut takes no proposals', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-drafts-'))
  const path = join(folder, 'recurrent.gguf')
  await writeModel(modelOfShape('mamba2', proportionedShape('recurrent', 128, 4)), path)
  const recurrent = await addon.loadModel(loadOptions(path, onCpu))
  const where = new addon.Context(recurrent, testContextOptions)
  const sampler = new addon.Sampler(recurrent, greedySampler)
  const batch = batchOf([10, 11, 12], sampler, { drafts: 1, position: 0 })
  expect(await where.step(batch).catch((error: unknown) => error)).toBeInstanceOf(RangeError)
  expect(await where.step(batchOf([10, 11, 12], sampler, { position: 0 }))).toMatchObject({ kind: 'ok' })
  await where.close()
  recurrent.close()
  rmSync(folder, { recursive: true })
})

describe('refused are', () => {
  const refused: Readonly<Record<string, (batch: NativeBatch, sampler: NativeSampler) => Partial<NativeBatch>>> = {
    'more proposals than entries': (_, sampler) => ({ outputs: [{ entry: 2, sampler, drafts: 2 }] }),
    'fewer than none': (_, sampler) => ({ outputs: [{ entry: 2, sampler, drafts: -1 }] }),
    'those of another sequence': ({ sequences }, sampler) => ({
      sequences: sequences.with(3, 1),
      positions: Int32Array.of(0, 1, 2, 0),
      outputs: [{ entry: 2, sampler, drafts: 1 }],
    }),
    'more rows than are reserved': (_, sampler) => ({
      tokens: new Int32Array(33).fill(100),
      positions: Int32Array.from({ length: 33 }, (_, index) => index),
      sequences: new Int32Array(33),
      outputs: [{ entry: 0, sampler, drafts: 32 }],
    }),
  }
  test.each(Object.entries(refused))('%s', async (_, change) => {
    context.removeSequence(0, 0, -1)
    context.removeSequence(1, 0, -1)
    const sampler = newSampler()
    const batch = batchOf([100, 101, 102, 103], sampler)
    const step = context.step({ ...batch, ...change(batch, sampler) })
    expect(await step.catch((error: unknown) => error)).toBeInstanceOf(RangeError)
    expect(context.maxPosition(0)).toBe(-1)
    await context.step(batch)
  })
})

/**
 * Batches of embeddings, as vision models decode pictures. The models' own embeddings of tokens stand in for pictures.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ModelPlan, writeModel } from '../../testing/gguf/model-file.ts'
import { tinyPlan } from '../../testing/gguf/tiny-gguf.ts'
import { multiDimensional } from '../../testing/gguf/vision-models.ts'
import { greedySampler, openTestAddon, testContextOptions } from '../../testing/native-options.ts'
import type { NativeAddon, NativeBatch, NativeContext, NativeModel } from './native.ts'
import { loadOptions, onCpu } from './placement.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-embeddings-'))
const width = 128
const prompt = [104, 105, 32, 116, 104, 101, 114, 101]
let addon: NativeAddon
let loadModel: (plan: ModelPlan) => Promise<NativeModel>
const models: NativeModel[] = []

beforeAll(async () => {
  addon = await openTestAddon()
  loadModel = async (plan) => {
    const modelPath = join(folder, `${crypto.randomUUID()}.gguf`)
    await writeModel(plan, modelPath)
    const model = await addon.loadModel(loadOptions(modelPath, onCpu))
    models.push(model)
    return model
  }
})

afterAll(() => {
  for (const model of models) model.close()
  rmSync(folder, { recursive: true })
})

/** A tiny model whose token embeddings the test knows. */
function knownPlan() {
  const plan = tinyPlan({})
  const size = plan.tensors.find(({ name }) => name === 'token_embd.weight')?.dimensions[1] ?? 0
  const values = Float32Array.from({ length: width * size }, (_, index) => 0.05 * Math.sin(index * 7.3))
  const tensors = plan.tensors.map((tensor) =>
    tensor.name === 'token_embd.weight'
      ? { ...tensor, type: 'f32' as const, fill: { kind: 'values' as const, values } }
      : tensor,
  )
  const rows = prompt.flatMap((token) => [...values.subarray(token * width, (token + 1) * width)])
  return { plan: { ...plan, tensors }, embeddings: Float32Array.from(rows) }
}

function newContext(model: NativeModel): NativeContext {
  const small = { contextTokens: 256, batchTokens: 64, microBatchTokens: 64, sequences: 1 }
  return new addon.Context(model, { ...testContextOptions, ...small })
}

function newSampler(model: NativeModel) {
  return new addon.Sampler(model, { ...greedySampler, topLogprobs: 20 })
}

type Entries = Pick<NativeBatch, 'tokens' | 'embeddings' | 'positions'>

const noTokens = new Int32Array(0)
const ascending = Int32Array.from(prompt, (_, index) => index)
const asTokens: Entries = { tokens: Int32Array.from(prompt), positions: ascending }

/** Decodes the entries, then one token behind them. Returns the likeliest next tokens of both. */
async function decode(model: NativeModel, entries: Entries, next = prompt.length) {
  const context = newContext(model)
  const sampler = newSampler(model)
  const step = async (batch: Entries, count: number) => {
    const outputs = [{ entry: count - 1, sampler }]
    const result = await context.step({ ...batch, sequences: new Int32Array(count), outputs })
    if (result.kind === 'cache-full') throw new Error('the cache is full')
    return result.samples[0]?.[0]
  }
  try {
    const first = await step(entries, prompt.length)
    const second = await step({ tokens: Int32Array.of(33), positions: Int32Array.of(next) }, 1)
    return [first, second].map((sample) => ({ token: sample?.token, alternatives: sample?.alternatives }))
  } finally {
    await context.close()
  }
}

test('embeddings of tokens are followed by what the tokens are followed by', async () => {
  const { plan, embeddings } = knownPlan()
  const model = await loadModel(plan)
  expect(model.info.embeddingSize).toBe(width)
  const expected = await decode(model, asTokens)
  expect(await decode(model, { tokens: noTokens, embeddings, positions: ascending })).toEqual(expected)
  const others = embeddings.toReversed()
  expect(await decode(model, { tokens: noTokens, embeddings: others, positions: ascending })).not.toEqual(expected)
})

describe('with positions of several dimensions', () => {
  const dimensions = (...each: readonly Int32Array[]) => Int32Array.from(each.flatMap((positions) => [...positions]))
  const zeros = new Int32Array(prompt.length)

  test('embeddings that lie in a line are the tokens of a text', async () => {
    const { plan, embeddings } = knownPlan()
    const model = await loadModel(multiDimensional(plan))
    const positions = dimensions(ascending, ascending, ascending, zeros)
    const expected = await decode(model, asTokens)
    expect(await decode(model, { tokens: noTokens, embeddings, positions })).toEqual(expected)
  })

  test('those of a picture share a position, differ by row and column, and text goes on behind a gap', async () => {
    const { plan, embeddings } = knownPlan()
    const model = await loadModel(multiDimensional(plan))
    const [rows, columns] = [ascending.map((index) => index >> 2), ascending.map((index) => index & 3)]
    const wide = await decode(
      model,
      { tokens: noTokens, embeddings, positions: dimensions(zeros, rows, columns, zeros) },
      4,
    )
    const high = await decode(
      model,
      { tokens: noTokens, embeddings, positions: dimensions(zeros, columns, rows, zeros) },
      4,
    )
    expect(wide).not.toEqual(high)
  })
})

test('a batch whose parts do not fit each other is refused', async () => {
  const { plan, embeddings } = knownPlan()
  const flat = await loadModel(plan)
  const many = await loadModel(multiDimensional(plan))
  const refusal = (model: NativeModel, entries: Entries) =>
    decode(model, entries).catch((error: unknown) => String(error))
  expect(await refusal(flat, { ...asTokens, embeddings })).toContain('or embeddings and no token')
  expect(await refusal(flat, { tokens: noTokens, positions: ascending })).toContain('or embeddings and no token')
  expect(await refusal(flat, { tokens: noTokens, embeddings: embeddings.slice(1), positions: ascending })).toContain(
    'embeddings of 8 entries are 1024 numbers, not 1023',
  )
  expect(await refusal(many, { tokens: noTokens, embeddings, positions: ascending })).toContain(
    'a batch of 8 entries has 32 positions, not 8',
  )
  expect(await refusal(flat, { tokens: noTokens, embeddings, positions: new Int32Array(prompt.length) })).toContain(
    'goes on at position 1, not 0',
  )
  expect(await refusal(flat, { tokens: noTokens, embeddings: [1] as never, positions: ascending })).toContain(
    'embeddings must be a Float32Array',
  )
})

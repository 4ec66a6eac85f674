/** Draft heads of models that are built so that each proposal is right: a wrong row or a lost state shows. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CountingModelOptions, countingModel, nextToken } from '../../testing/gguf/counting-model.ts'
import { writeModel } from '../../testing/gguf/model-file.ts'
import { greedySampler, openTestAddon, testContextOptions } from '../../testing/native-options.ts'
import type { NativeAddon, NativeContext, NativeContextOptions, NativeModel, NativeSampler } from './native.ts'
import { loadOptions, onCpu } from './placement.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-draft-head-'))
const draftTokens = 3
let addon: NativeAddon

beforeAll(async () => {
  addon = await openTestAddon()
})
afterAll(() => rmSync(folder, { recursive: true }))

const models = new Map<string, NativeModel>()

async function loadCounting(
  options: CountingModelOptions,
  load: { draftHead: boolean; noAlloc?: boolean } = { draftHead: true },
): Promise<NativeModel> {
  const { isWrongBehind = '', ...rest } = options
  const key = JSON.stringify([rest, isWrongBehind.toString(), load])
  const path = join(folder, `${Bun.hash(key)}.gguf`)
  const known = models.get(key)
  if (known !== undefined) return known
  await writeModel(countingModel(options), path)
  const model = await addon.loadModel(loadOptions(path, onCpu, load))
  models.set(key, model)
  return model
}

const text = (words: string) => [...words].map((character) => character.charCodeAt(0))

afterAll(() => {
  for (const model of models.values()) model.close()
})

/** One sequence's part of a step: tokens to decode, of which the last `drafts` are proposals. */
interface Part {
  readonly sequence: number
  readonly tokens: readonly number[]
  readonly drafts?: number
  readonly sampler?: NativeSampler
  readonly propose?: number
}

async function step(context: NativeContext, parts: readonly Part[], isFollowed = true) {
  const all = parts.flatMap(({ sequence, tokens }) => {
    const first = context.maxPosition(sequence) + 1
    return tokens.map((token, i) => ({ token, sequence, position: first + i }))
  })
  let end = 0
  const outputs = parts.flatMap(({ tokens, drafts = 0, sampler, propose = isFollowed ? draftTokens : 0 }) => {
    end += tokens.length
    return sampler === undefined ? [] : [{ entry: end - 1 - drafts, drafts, sampler, propose }]
  })
  const result = await context.step({
    tokens: Int32Array.from(all, ({ token }) => token),
    positions: Int32Array.from(all, ({ position }) => position),
    sequences: Int32Array.from(all, ({ sequence }) => sequence),
    outputs,
    isFollowed,
  })
  if (result.kind === 'cache-full') throw new Error('the cache is full')
  const { samples, proposals = [] } = result
  return outputs.map((_, i) => ({
    tokens: samples[i]?.map(({ token }) => token) ?? [],
    logprobs: samples[i]?.map(({ logprob }) => logprob ?? Number.NaN) ?? [],
    proposals: proposals[i] ?? [],
  }))
}

/** Takes back the rejected proposals. Returns the tokens to decode next. */
function settle(
  context: NativeContext,
  part: Part,
  result: { tokens: readonly number[]; proposals: readonly number[] },
) {
  const wrong = (part.drafts ?? 0) - (result.tokens.length - 1)
  if (wrong > 0) {
    const end = context.maxPosition(part.sequence) + 1
    expect(context.removeSequence(part.sequence, end - wrong, -1)).toBe(true)
  }
  return { ...part, tokens: [...result.tokens.slice(-1), ...result.proposals], drafts: result.proposals.length }
}

/** Generates several answers, each to its prompt. Returns the numbers of proposed and of accepted tokens. */
async function answer(context: NativeContext, prompts: readonly (readonly number[])[], isFollowed = true) {
  let parts: Part[] = prompts.map((tokens, sequence) => ({ sequence, tokens, sampler: newSampler(context) }))
  const texts = prompts.map(() => [] as number[])
  const logprobs = prompts.map(() => [] as number[])
  let [steps, drafted, accepted] = [0, 0, 0]
  while (texts.some(({ length }) => length < limit)) {
    const results = await step(context, parts, isFollowed)
    steps++
    parts = parts.map((part, i) => {
      const result = results[i] ?? { tokens: [], logprobs: [], proposals: [] }
      drafted += part.drafts ?? 0
      accepted += result.tokens.length - 1
      texts[i]?.push(...result.tokens)
      logprobs[i]?.push(...result.logprobs)
      return settle(context, part, result)
    })
  }
  const first = <Item>(lists: Item[][]) => lists.map((list) => list.slice(0, limit))
  return { texts: first(texts), logprobs: first(logprobs), steps, drafted, accepted, parts }
}

/** Tokens of an answer. */
const limit = 40
const modelOf = new Map<NativeContext, NativeModel>()

function newContext(model: NativeModel, options: Partial<NativeContextOptions> = {}): NativeContext {
  const context = new addon.Context(model, { ...testContextOptions, draftHead: model, draftTokens, ...options })
  modelOf.set(context, model)
  return context
}

function newSampler(context: NativeContext): NativeSampler {
  const model = modelOf.get(context)
  if (model === undefined) throw new Error('a context of no model')
  return new addon.Sampler(model, { ...greedySampler, topLogprobs: 0 })
}

function counted(from: number, count: number): number[] {
  const tokens: number[] = []
  for (let token = nextToken(from); tokens.length < count; token = nextToken(token)) tokens.push(token)
  return tokens
}

const architectures = ['deepseek2', 'qwen35', 'qwen35moe'] as const
const kinds = architectures.flatMap((architecture) => [true, false].map((kvUnified) => ({ architecture, kvUnified })))
/** Prompts of different lengths, so that with a part for each sequence micro-batches mix entries. */
const prompts = [text('Hello there'), text('one'), text('What comes next in this long line?'), text('!')]
const ends = prompts.map((tokens) => tokens.at(-1) ?? 0)

describe.each(kinds)('a head of $architecture, one cache: $kvUnified', ({ architecture, kvUnified }) => {
  test('that knows all tokens has every proposal accepted', async () => {
    const context = newContext(await loadCounting({ architecture, head: 'token' }), { kvUnified })
    const { texts, steps, drafted, accepted } = await answer(context, prompts)
    expect(texts).toEqual(ends.map((end) => counted(end, 40)))
    expect(accepted).toBe(drafted)
    expect(steps).toBe(1 + Math.ceil(39 / (1 + draftTokens)))
    await context.close()
  })

  test('that is wrong behind some tokens costs steps, and changes nothing', async () => {
    const isWrongBehind = (token: number) => token % 5 === 0
    const context = newContext(await loadCounting({ architecture, head: 'token', isWrongBehind }), { kvUnified })
    const { texts, drafted, accepted } = await answer(context, prompts)
    expect(texts).toEqual(ends.map((end) => counted(end, 40)))
    expect(accepted).toBeLessThan(drafted)
    expect(accepted).toBeGreaterThan(drafted / 2)
    await context.close()
  })

  test('that goes by the state of the model gets that of the right place', async () => {
    const context = newContext(await loadCounting({ architecture, head: 'state' }), { kvUnified })
    const { texts, steps, accepted } = await answer(context, prompts)
    expect(texts).toEqual(ends.map((end) => counted(end, 40)))
    // In each step the first of three proposals is right for each of the answers.
    expect(accepted).toBe((steps - 1) * prompts.length)
    await context.close()
  })
})

describe.each(architectures)('what is known of the sequences of a %s', (architecture) => {
  /**
   * Makes a step behind some text of sequence 0, at `sequence`, that asks for proposals. Returns how many are right.
   */
  async function rightProposals(context: NativeContext, sequence: number): Promise<number> {
    const part = { sequence, tokens: text('a'), sampler: newSampler(context) }
    const [result = { tokens: [], proposals: [] }] = await step(context, [part])
    const expected = counted(result.tokens[0] ?? 0, draftTokens)
    const wrong = result.proposals.findIndex((token, i) => token !== expected[i])
    return wrong < 0 ? result.proposals.length : wrong
  }

  const first = text('Some prompt')

  test('is saved and restored with its cache', async () => {
    const context = newContext(await loadCounting({ architecture, head: 'state' }))
    await step(context, [{ sequence: 0, tokens: first, sampler: newSampler(context) }])
    const state = context.saveSequence(0)
    expect(context.restoreSequence(2, state)).toBe(true)
    expect(context.maxPosition(2)).toBe(first.length - 1)
    expect(await rightProposals(context, 2)).toBe(1)
    // Without the head's part of the state, the sequence starts anew.
    expect(context.restoreSequence(3, state.subarray(0, state.length - 200))).toBe(true)
    expect(await rightProposals(context, 3)).toBe(1)
    await context.close()
  })

  test('does not matter where the head has missed some of the text', async () => {
    const context = newContext(await loadCounting({ architecture, head: 'token' }))
    await step(context, [{ sequence: 0, tokens: first }])
    await step(context, [{ sequence: 0, tokens: text(' that the head'), sampler: newSampler(context) }], false)
    expect(await rightProposals(context, 0)).toBe(draftTokens)
    await context.close()
  })

  test('does not include what was sampled and not used, or proposed and not chosen', async () => {
    const context = newContext(await loadCounting({ architecture, head: 'state' }))
    const stateAfter = async (detour: Partial<Part>) => {
      context.removeSequence(0, 0, -1)
      const part = { sequence: 0, tokens: first, sampler: newSampler(context), propose: 0, ...detour }
      settle(context, part, (await step(context, [part]))[0] ?? { tokens: [], proposals: [] })
      await step(context, [{ sequence: 0, tokens: text('a') }])
      return context.saveSequence(0)
    }
    const plain = await stateAfter({})
    expect(Buffer.compare(await stateAfter({ propose: draftTokens }), plain)).toBe(0)
    expect(Buffer.compare(await stateAfter({ tokens: [...first, ...text('??')], drafts: 2 }), plain)).toBe(0)
    await context.close()
  })

  test('is copied, also of a sequence that was just cut', async () => {
    const context = newContext(await loadCounting({ architecture, head: 'token', isContextual: true }))
    await step(context, [{ sequence: 0, tokens: first }])
    await step(context, [{ sequence: 1, tokens: [...first, ...text('xyz')] }])
    expect(context.removeSequence(1, first.length, -1)).toBe(true)
    context.copySequence(1, 2, 0, -1)
    const parts = [0, 1, 2].map((sequence) => ({ sequence, tokens: text('a'), sampler: newSampler(context) }))
    const [plain, cut, copied] = (await step(context, parts)).map(({ logprobs }) => logprobs[0] ?? Number.NaN)
    expect(cut).toBeCloseTo(plain ?? 0, 3)
    expect(copied).toBeCloseTo(plain ?? 0, 3)
    expect(await rightProposals(context, 2)).toBe(draftTokens)
    await context.close()
  })
})

test.each(kinds)(
  'answers of a $architecture that depend on all before stay the same, one cache: $kvUnified',
  async (kind) => {
    const { architecture, kvUnified } = kind
    const isWrongBehind = (token: number) => token % 5 === 0
    const model = await loadCounting({ architecture, head: 'token', isContextual: true, isWrongBehind })
    const plain = newContext(model, { kvUnified })
    const without = await answer(plain, prompts, false)
    const context = newContext(model, { kvUnified })
    const { texts, logprobs, accepted, drafted } = await answer(context, prompts)
    expect(texts).toEqual(without.texts)
    expect(accepted).toBeLessThan(drafted)
    expect(accepted).toBeGreaterThan(0)
    const differences = logprobs.flatMap((list, i) =>
      list.map((value, j) => Math.abs(value - (without.logprobs[i]?.[j] ?? 0))),
    )
    expect(Math.max(...differences)).toBeLessThan(0.002)
    await plain.close()
    await context.close()
  },
)

describe('loading', () => {
  const options = { architecture: 'qwen35', head: 'token' } as const

  test('tells whether there is a head', async () => {
    const has = async (more: Partial<CountingModelOptions>, draftHead = true) =>
      (await loadCounting({ ...options, ...more }, { draftHead })).info.hasDraftHead
    expect(await has({})).toBe(true)
    expect(await has({}, false)).toBe(false)
    expect(await has({ head: 'none' })).toBe(false)
    // The file's header promises a head, but the head is in another file.
    expect(await has({ architecture: 'deepseek2', part: 'trunk' })).toBe(false)
    expect(await has({ part: 'head' })).toBe(true)
  })

  test.each(architectures)('takes the head of a %s from a file of its own', async (architecture) => {
    const model = await loadCounting({ architecture, head: 'none' })
    const draftHead = await loadCounting({ architecture, head: 'token', part: 'head' })
    const context = newContext(model, { draftHead })
    const { texts, drafted, accepted } = await answer(context, prompts)
    expect(texts).toEqual(ends.map((end) => counted(end, limit)))
    expect(accepted).toBe(drafted)
    await context.close()
  })

  test('refuses a model without a head, and a head of another model', async () => {
    const model = await loadCounting({ ...options, head: 'none' })
    expect(() => newContext(model)).toThrow('the model has no draft head')
    const deepseek = await loadCounting({ architecture: 'deepseek2', head: 'token' })
    const wide = await loadCounting({ architecture: 'deepseek2', head: 'token', width: 256 })
    expect(() => newContext(wide, { draftHead: deepseek })).toThrow('belongs to another model')
  })

  test.each(architectures)('a dry run tells what the head of a %s adds', async (architecture) => {
    const bytes = async (noAlloc: boolean, withHead: boolean) => {
      const model = await loadCounting({ architecture, head: 'token' }, { draftHead: true, noAlloc })
      const context = new addon.Context(model, {
        ...testContextOptions,
        ...(withHead && { draftHead: model, draftTokens }),
      })
      const [host] = context.memoryBreakdown()
      await context.close()
      return { context: host?.contextBytes ?? 0, compute: host?.computeBytes ?? 0, model: host?.modelBytes ?? 0 }
    }
    const told = await bytes(true, true)
    expect(told).toEqual(await bytes(false, true))
    const without = await bytes(false, false)
    expect(told.context).toBeGreaterThan(without.context)
    expect(told.model).toBe(without.model)
  })
})

test.each(architectures)('a %s whose cache is full goes on without proposals', async (architecture) => {
  const model = await loadCounting({ architecture, head: 'token' })
  const context = newContext(model, { contextTokens: 256, batchTokens: 256 })
  const sampler = newSampler(context)
  const [first] = await step(context, [{ sequence: 0, tokens: text('x'.repeat(250)), sampler }])
  let part: Part = settle(context, { sequence: 0, tokens: [], sampler }, first ?? { tokens: [], proposals: [] })
  const tokens = [...(first?.tokens ?? [])]
  while (context.maxPosition(0) < 255) {
    const room = 255 - context.maxPosition(0)
    const next = { ...part, tokens: part.tokens.slice(0, room), drafts: Math.min(part.tokens.length, room) - 1 }
    const [result = { tokens: [], proposals: [] }] = await step(context, [next])
    tokens.push(...result.tokens)
    part = settle(context, next, result)
  }
  expect(part.tokens).toHaveLength(1)
  expect(tokens).toEqual(counted('x'.charCodeAt(0), tokens.length))
  // A batch as large as the cache leaves no room for the token behind it.
  context.removeSequence(0, 0, -1)
  const [whole] = await step(context, [{ sequence: 0, tokens: text('x'.repeat(256)), sampler: newSampler(context) }])
  expect(whole?.proposals).toEqual([])
  await context.close()
})

describe('a step', () => {
  test('refuses to follow without a head, and wishes that cannot be met', async () => {
    const model = await loadCounting({ architecture: 'qwen35', head: 'token' })
    const plain = new addon.Context(model, testContextOptions)
    modelOf.set(plain, model)
    const part = { sequence: 0, tokens: text('abc'), sampler: newSampler(plain) }
    expect(step(plain, [part])).rejects.toThrow('a draft head follows tokens, in a context that has one')
    await plain.close()
    const context = newContext(model)
    expect(step(context, [{ ...part, propose: 2 }], false)).rejects.toThrow('proposes only where it follows')
    expect(step(context, [{ ...part, propose: 1000 }])).rejects.toThrow(RangeError)
    const more = { ...part, tokens: text('x'.repeat(6)), drafts: 5 }
    expect(step(context, [more])).rejects.toThrow('cannot be removed from recurrent memory')
    expect(await step(context, [part])).toHaveLength(1)
    await context.close()
  })
})

/** The fake engine's results for texts, in a real child. */
import { afterAll, expect, test } from 'bun:test'
import { ApiError } from '../../core/errors.ts'
import type { InstalledModel } from '../../core/model.ts'
import { type Consumption, nothingConsumed, type Usage } from '../../core/usage.ts'
import type { Work, WorkEvent } from '../../core/work.ts'
import { testPool } from '../../testing/engine-pool.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import { type EngineMeter, unlimited } from '../protocol/work-engines.ts'

const pool = testPool()
afterAll(() => pool.stop())

const model: InstalledModel = {
  manifest: testManifest({
    id: 'test/embedder',
    type: 'embedding',
  }),
  filePaths: {},
}

interface Context {
  readonly meter?: EngineMeter
  readonly signal?: AbortSignal
}

type TextWork = Work<'embed' | 'rerank'>

function run(work: TextWork, { meter = unlimited, signal = new AbortController().signal }: Context = {}) {
  return pool.run(model, work, { accountId: 'acc_1', signal, meter })
}

async function vectorsOf(inputs: readonly (string | readonly number[])[], dimensions?: number): Promise<number[][]> {
  const [start, vectors] = await Array.fromAsync(run({ kind: 'embed', request: { inputs, dimensions } }))
  expect(start).toMatchObject({ type: 'start' })
  if (vectors?.type !== 'vectors') throw new Error('no vectors')
  const { dimensions: length, values } = vectors
  return inputs.map((_, index) => [...values.subarray(index * length, (index + 1) * length)])
}

function norm(vector: readonly number[] | undefined): number {
  return Math.hypot(...(vector ?? []))
}

async function scoresOf(query: string, documents: readonly string[]): Promise<[number[], Usage]> {
  const [, scores, last] = await Array.fromAsync(run({ kind: 'rerank', request: { query, documents } }))
  if (scores?.type !== 'scores' || last?.type !== 'finish') throw new Error('no scores')
  return [[...scores.values], last.usage]
}

test('the same text is the same vector of length 1, another text another one', async () => {
  const [first, second, other] = await vectorsOf(['one two', 'one two', 'two one'])
  expect(first).toHaveLength(8)
  expect(first).toEqual(second)
  expect(first).not.toEqual(other)
  expect(norm(first)).toBeCloseTo(1, 6)
})

test('tokens count by their ids', async () => {
  const [first, second, other] = await vectorsOf([[1, 2, 3], [1, 2, 3], [4]])
  expect(first).toEqual(second)
  expect(first).not.toEqual(other)
})

test('fewer dimensions are the leading ones, again of length 1', async () => {
  const [whole = []] = await vectorsOf(['one two'])
  const [cut = []] = await vectorsOf(['one two'], 3)
  expect(cut).toHaveLength(3)
  expect(norm(cut)).toBeCloseTo(1, 6)
  expect((cut[1] ?? 0) / (cut[0] ?? 0)).toBeCloseTo((whole[1] ?? 0) / (whole[0] ?? 0), 5)
})

test('a score is the share of the query’s words that a document has; each pair is a prompt', async () => {
  const [scores, { promptTokens }] = await scoresOf('red Apple', ['an apple', 'a red apple tree', 'a pear'])
  expect(scores).toEqual([0.5, 1, 0])
  expect(promptTokens).toBe(3 * 2 + 2 + 4 + 2)
})

test('nothing begins before it is granted, and a refusal by the meter computes nothing', async () => {
  const before = await pool.stats(model.manifest.id)
  const poor: EngineMeter = { ...unlimited, begin: () => Promise.reject(new Error('too dear')) }
  const work = Array.fromAsync(run({ kind: 'embed', request: { inputs: ['one two'] } }, { meter: poor }))
  expect(await work.catch(String)).toBe('Error: too dear')
  expect(await pool.stats(model.manifest.id)).toMatchObject({
    running: 0,
    decodedPromptTokens: before?.decodedPromptTokens,
  })
})

test('a script’s tokens are what the meter is asked for, and are counted', async () => {
  const asked: number[] = []
  const meter: EngineMeter = {
    ...unlimited,
    begin: (estimate) => {
      asked.push(estimate.least.promptTokens, estimate.most.promptTokens)
      return unlimited.begin(estimate)
    },
  }
  const before = (await pool.stats(model.manifest.id))?.decodedPromptTokens ?? 0
  const script = JSON.stringify({ script: [{ delayMs: 0 }, { log: 'hello' }], promptTokens: 70 })
  const events = await Array.fromAsync(run({ kind: 'embed', request: { inputs: [script] } }, { meter }))
  expect(asked).toEqual([70, 70])
  expect(events.at(-1)).toMatchObject({ type: 'finish', usage: { promptTokens: 70, completionTokens: 0 } })
  expect((await pool.stats(model.manifest.id))?.decodedPromptTokens).toBe(before + 70)
})

test.each([
  [{}, 70],
  [{ prefillTokens: 20 }, 20],
])(
  'of a request that is cancelled while it runs the meter hears what was computed: %p',
  async (fields, promptTokens) => {
    const aborting = new AbortController()
    const told: Consumption[] = []
    const meter: EngineMeter = { ...unlimited, cancelled: (usage) => told.push(usage) }
    const query = JSON.stringify({ script: [{ waitForCancel: true }], promptTokens: 70, ...fields })
    const events = run({ kind: 'rerank', request: { query, documents: ['a'] } }, { meter, signal: aborting.signal })
    expect((await events.next()).value).toMatchObject({ type: 'start', promptTokens: 70 })
    aborting.abort(new Error('gone'))
    expect(await events.next().catch(String)).toBe('Error: gone')
    expect(told).toEqual([{ ...nothingConsumed, promptTokens }])
  },
)

test.each<[string, object[], string[]]>([
  ['before anything was asked for', [], []],
  ['after the start', [{ delayMs: 0 }], ['start']],
])('an error comes %s', async (_, actions, expected) => {
  const error = { kind: 'invalid_request', code: 'context_length_exceeded', message: 'too long', param: 'input[0]' }
  const script = JSON.stringify({ script: [...actions, { error }] })
  const seen: WorkEvent[] = []
  const work = async () => {
    for await (const event of run({ kind: 'embed', request: { inputs: [script] } })) seen.push(event)
  }
  const thrown = await work().catch((failure: unknown) => failure)
  expect(thrown).toBeInstanceOf(ApiError)
  expect(thrown).toMatchObject({ code: 'context_length_exceeded', param: 'input[0]' })
  expect(seen.map(({ type }) => type)).toEqual(expected as WorkEvent['type'][])
})

test('a crash is the engine’s failure', async () => {
  const script = JSON.stringify({ script: [{ crash: 'exit' }] })
  const thrown = await Array.fromAsync(run({ kind: 'embed', request: { inputs: [script] } })).catch(
    (failure: unknown) => failure,
  )
  expect(thrown).toMatchObject({ kind: 'engine', code: 'engine_failed' })
})

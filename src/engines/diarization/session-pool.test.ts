import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { highVoice, lowVoice, syntheticDialogue } from '../../testing/synthetic-voices.ts'
import { readModelMetadata } from '../onnx/session/model-metadata.ts'
import { openSessions } from '../onnx/session/open-sessions.ts'
import type { Run, SessionThread } from '../onnx/session/session-thread.ts'
import { runtimePaths } from '../runtime/runtime-paths.ts'
import type { Reading, ThreadResult } from './diarization-thread.ts'
import { SessionPool } from './session-pool.ts'
import { threadsPerWindow } from './settings.ts'
import { Turnstile } from './turnstile.ts'
import { inStep, openEmbedding } from './voices/open-embedding.ts'
import { openSegmentation } from './windows/open-segmentation.ts'

/** A model that doubles each number. It refuses runs of more than `room` rows, and runs that contain `broken`. */
function doubling({ room = 100, rows = -1, broken = Number.NaN } = {}) {
  const runs: number[] = []
  const session: SessionThread<Reading, ThreadResult> = {
    inputs: [{ name: 'x', type: 'float32', shape: [rows, -1] }],
    outputs: ['y'],
    run: async ({ feeds: [feed] }: Run) => {
      if (feed === undefined) throw new Error('nothing is fed')
      const [count = 0] = feed.shape
      runs.push(count)
      // The data is transferred, as to a thread.
      const data = feed.data as Float32Array<ArrayBuffer>
      const given = structuredClone(data, { transfer: [data.buffer] })
      if (count > room) throw new Error('out of memory')
      if (given.includes(broken)) throw new Error('broken')
      return { shape: feed.shape, values: given.map((value) => 2 * value) }
    },
    close: () => undefined,
  }
  return { session, runs }
}

function compute(pool: SessionPool, ...rows: readonly (readonly number[])[]): Promise<ThreadResult[]> {
  return Promise.all(rows.map((row) => pool.run(Float32Array.from(row), [1, row.length], 'numbers')))
}

const numbers = Array.from({ length: 10 }, (_, index) => [index, index + 0.5])
const doubled = numbers.map(([a = 0, b = 0]) => ({ shape: [1, 2], values: Float32Array.of(2 * a, 2 * b) }))

test('rows of one shape are computed together, as many as are told, and each gets its own result', async () => {
  const { session, runs } = doubling()
  const pool = new SessionPool([session], new Turnstile(1), 4)
  const others = compute(pool, [1, 2, 3], [4, 5, 6])
  expect(await compute(pool, ...numbers)).toEqual(doubled)
  expect((await others).map(({ values }) => [...values])).toEqual([
    [2, 4, 6],
    [8, 10, 12],
  ])
  expect(runs.toSorted()).toEqual([2, 2, 4, 4])
})

test.each([
  ['nobody says how many', doubling(), undefined],
  ['the model takes one', doubling({ rows: 1 }), 64],
])('rows are computed one by one where %s', async (_, { session, runs }, rowsTogether) => {
  const pool = new SessionPool([session], new Turnstile(1), rowsTogether)
  expect(await compute(pool, ...numbers)).toEqual(doubled)
  expect(runs).toEqual(numbers.map(() => 1))
})

test.each([3, 1])('where there is room for %d rows, no more are computed together from then on', async (room) => {
  const { session, runs } = doubling({ room })
  const pool = new SessionPool([session], new Turnstile(1), 10)
  expect(await compute(pool, ...numbers)).toEqual(doubled)
  runs.length = 0
  expect(await compute(pool, ...numbers)).toEqual(doubled)
  expect(Math.max(...runs)).toBeLessThanOrEqual(room)
  expect(runs.length).toBeLessThanOrEqual(numbers.length / Math.ceil(room / 2))
})

test('a row that cannot be computed fails alone, and later runs are as large as before', async () => {
  const { session, runs } = doubling({ broken: 3 })
  const pool = new SessionPool([session], new Turnstile(1), 10)
  const outcomes = await Promise.allSettled(numbers.map((row) => compute(pool, row)))
  expect(outcomes.map(({ status }) => status)).toEqual(numbers.map(([a]) => (a === 3 ? 'rejected' : 'fulfilled')))
  runs.length = 0
  const sound = numbers.filter(([a]) => a !== 3)
  expect(await compute(pool, ...sound)).toEqual(doubled.filter((_, at) => at !== 3))
  expect(runs).toEqual([sound.length])
})

test('what not even one row has room for fails, and the next run works', async () => {
  let isBroken = true
  const { session } = doubling()
  const breaking = {
    ...session,
    run: (run: Run) => (isBroken ? Promise.reject(new Error('no')) : session.run(run, 'numbers')),
  }
  const pool = new SessionPool([breaking], new Turnstile(1), 4)
  const outcomes = await Promise.allSettled(numbers.map((row) => compute(pool, row)))
  expect(outcomes.map(({ status }) => status)).toEqual(numbers.map(() => 'rejected'))
  isBroken = false
  expect(await compute(pool, ...numbers)).toEqual(doubled)
})

const starter = join(import.meta.dir, '../../../models/starter')
const dialogue = syntheticDialogue([
  [lowVoice, 6],
  [highVoice, 7],
  [lowVoice, 9],
])

/** The starter models, whose rows are computed by one thread. */
async function openStarter(role: string, rowsTogether: number) {
  const modelPath = join(starter, `starter-${role}.onnx`)
  const { sessions } = await openSessions<Reading, ThreadResult>({
    program: 'engines/diarization/diarization-thread.ts',
    binding: (await runtimePaths('')).onnxRuntime,
    modelPath,
    optimization: 'all',
    wanted: { device: 'cpu', threads: 1 },
    deviceIndex: 0,
    threadsTogether: threadsPerWindow,
    log: () => undefined,
    onDeath: () => undefined,
  })
  return { pool: new SessionPool(sessions, new Turnstile(1), rowsTogether), metadata: readModelMetadata(modelPath) }
}

test('windows that are segmented together have the speakers that they have alone', async () => {
  const masks = async (rowsTogether: number) => {
    const { pool, metadata } = await openStarter('segmentation', rowsTogether)
    const { segment, shape } = await openSegmentation(pool, metadata)
    const windows = [0, 1, 2, 3, 4, 5].map((second) =>
      Float32Array.from(
        dialogue.samples.subarray(second * 16_000, second * 16_000 + shape.windowSamples),
        (sample) => sample / 32_768,
      ),
    )
    return Promise.all(windows.map(segment))
  }
  expect(await masks(64)).toEqual(await masks(1))
})

test('voices of like lengths are embedded together, and sound as they do alone', async () => {
  const samples = Float32Array.from(dialogue.samples, (sample) => sample / 32_768)
  const vectors = async (rowsTogether: number) => {
    const { pool, metadata } = await openStarter('speaker-embedding', rowsTogether)
    const { toEnergies, embed } = await openEmbedding(pool, metadata, { isStepped: rowsTogether > 1 })
    const lengths = [2.1, 2.15, 2.2, 3.9, 4, 5]
    return Promise.all(lengths.map((seconds) => embed(toEnergies(samples.subarray(0, seconds * 16_000)))))
  }
  const [together, alone] = [await vectors(64), await vectors(1)]
  for (const [index, vector] of together.entries()) expect(cosine(vector, alone[index])).toBeGreaterThan(0.95)
})

test('a voice goes on with its own beginning up to the next length', () => {
  const energies = (frames: number) => Float32Array.from({ length: frames * 80 }, (_, at) => Math.floor(at / 80))
  expect(inStep(energies(20))).toEqual(energies(20))
  const stepped = inStep(energies(23))
  expect(stepped.length).toBe(25 * 80)
  expect(stepped.subarray(0, 23 * 80)).toEqual(energies(23))
  expect([stepped[23 * 80], stepped[24 * 80]]).toEqual([0, 1])
  const lengths = new Set(Array.from({ length: 979 }, (_, more) => inStep(energies(20 + more)).length))
  expect(lengths.size).toBeLessThan(45)
})

function cosine(first: Float32Array, second: Float32Array = first): number {
  const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
  return dot(first, second) / Math.sqrt(dot(first, first) * dot(second, second))
}

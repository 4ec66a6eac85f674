/** Pooling as ONNX Runtime computes it, compared with pooling outside the graph. */
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testEncoder } from '../../../testing/test-encoder.ts'
import { runtimePaths } from '../../runtime/runtime-paths.ts'
import { openEdited } from '../session/open-edited.ts'
import { added } from './added-names.ts'
import { toBatch } from './batch-feeds.ts'
import { editGraph } from './edit-graph.ts'
import type { PoolWish } from './pool-in-graph.ts'
import { poolRows } from './pooling.ts'
import { scoreRows } from './scores.ts'

const { onnxRuntime: binding } = await runtimePaths('')
const folder = mkdtempSync(join(tmpdir(), 'inferd-pooling-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Check of fused attention, which is never called: attention is not fused here. */
const unreachable = () => expect.unreachable()

const rows = [[5, 6, 7, 8, 9], [3], [4, 2, 11]].map((ids) => ({ ids: Int32Array.from(ids), typeIds: undefined }))
const wish = { output: undefined, pooling: 'mean', answerIds: undefined } as const

function open(encoder: ReturnType<typeof testEncoder>, wanted: PoolWish) {
  const modelPath = join(folder, 'model.onnx')
  writeFileSync(modelPath, encoder.content)
  if (encoder.weights !== undefined) writeFileSync(join(folder, 'model.onnx_data'), encoder.weights)
  const options = { binding, modelPath, provider: 'cpu', deviceIndex: 0, threads: 1, optimization: 'all' } as const
  return openEdited(options, (content) => editGraph(content, { ...wanted, fusesAttention: false }, unreachable))
}

describe.each([
  ['single precision', { type: 'float32' }],
  ['half precision', { type: 'float16' }],
  ['operators of version 9', { type: 'float32', operators: 9 }],
  ['weights in a file of their own', { type: 'float32', weightsFile: 'model.onnx_data' }],
] as const)('%s', (_, encoder) => {
  test.each([
    ['mean', 'right'],
    ['mean', 'left'],
    ['cls', 'right'],
    ['cls', 'left'],
    ['last', 'right'],
    ['last', 'left'],
  ] as const)('%s of texts that are padded on the %s', (pooling, padding) => {
    const session = open(testEncoder(encoder), { ...wish, pooling })
    expect(session.outputs).toEqual(['last_hidden_state', added.pooled])
    const { feeds, lengths } = toBatch(rows, session.inputs, { padding, padTokenId: 1, pooling })
    const wanted = poolRows(session.run(feeds, 'last_hidden_state'), lengths, { pooling, padding })
    const tensor = session.run(feeds, added.pooled)
    const found = poolRows(tensor, lengths, { pooling: pooling === 'mean' ? 'sums' : 'none', padding })
    expect(found.dimensions).toBe(wanted.dimensions)
    for (const [at, value] of wanted.values.entries())
      expect(Math.abs((found.values[at] ?? 9) - value)).toBeLessThan(1e-5)
    expect(Math.hypot(...wanted.values)).toBeGreaterThan(0.5)
  })

  test.each(['left', 'right'] as const)('scores of two answers behind texts that are padded on the %s', (padding) => {
    const answerIds = { yes: 6, no: 2 }
    const session = open(testEncoder(encoder), { ...wish, pooling: 'none', answerIds })
    const { feeds, lengths } = toBatch(rows, session.inputs, { padding, padTokenId: 1, pooling: 'last' })
    const settings = { activation: 'none', padding } as const
    const wanted = scoreRows(session.run(feeds, 'last_hidden_state'), lengths, { ...settings, answerIds })
    const pair = session.run(feeds, added.pooled)
    expect(pair.shape).toEqual([3, 2])
    const found = scoreRows(pair, lengths, { ...settings, answerIds: { yes: 0, no: 1 } })
    for (const [at, score] of wanted.entries()) expect(found[at]).toBeCloseTo(score, 5)
  })
})

test.each([
  ['has pooled already', testEncoder({ rank: 2 }), wish],
  ['does not say how many dimensions its output has', testEncoder({ rank: undefined }), wish],
  ['gives whole numbers', testEncoder({ type: 'int64' }), wish],
  ['lacks the output', testEncoder(), { ...wish, output: 'other' }],
  ['gives a vector a text', testEncoder(), { ...wish, pooling: 'none' }],
] as const)('a graph that %s is left as it is', (_, { content }, wanted) => {
  expect(editGraph(content, { ...wanted, fusesAttention: false }, unreachable)).toBeUndefined()
})

test('a file that is no model is opened as it is, so that ONNX Runtime says what is wrong', () => {
  expect(() => open({ content: new TextEncoder().encode('not a model'), weights: undefined }, wish)).toThrow(
    /protobuf/i,
  )
})

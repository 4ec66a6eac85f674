/** Attention by ONNX Runtime's own operator, against what the graph's own nodes compute. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AttentionPlan, attentionEncoder } from '../../../testing/attention-encoder.ts'
import { testEncoder } from '../../../testing/test-encoder.ts'
import { runtimePaths } from '../../runtime-paths.ts'
import { GraphView } from '../session/graph-view.ts'
import { openSession } from '../session/onnx-runtime.ts'
import { openEdited } from '../session/open-edited.ts'
import { readGraph } from '../session/read-graph.ts'
import { added } from './added-names.ts'
import { toBatch } from './batch-feeds.ts'
import { editGraph } from './edit-graph.ts'
import { findAttention } from './find-attention.ts'
import { fuseAttention } from './fuse-attention.ts'
import { poolRows } from './pooling.ts'

const { onnxRuntime: binding } = await runtimePaths('')
const folder = mkdtempSync(join(tmpdir(), 'inferd-attention-'))
afterAll(() => rmSync(folder, { recursive: true }))

const rows = [[5, 6, 7, 8, 9, 30], [3], [4, 2, 11]].map((ids) => ({ ids: Int32Array.from(ids), typeIds: undefined }))
const right = { padding: 'right', padTokenId: 1, pooling: 'mean' } as const
const wish = { output: undefined, pooling: 'mean', answerIds: undefined, fusesAttention: true } as const

const written: readonly (readonly [string, AttentionPlan])[] = [
  ['after the product', {}],
  ['with scaled queries and keys, and zeros for what is no number', { scaling: 'both', isGuarded: true }],
  ['by division, with keys that are turned twice', { scaling: 'divided', turns: 2 }],
  ['with lengths that are read', { lengths: 'read', axis: -1 }],
  ['with a scale that is computed, and masks that are cast from layer to layer', { scaling: 'computed', layers: 3 }],
  ['in one layer', { layers: 1 }],
]

test.each(written)('attention that is written %s gives the same vectors when it is fused', (_, plan) => {
  const modelPath = join(folder, 'model.onnx')
  writeFileSync(modelPath, attentionEncoder(plan))
  const options = { binding, modelPath, provider: 'cpu', deviceIndex: 0, threads: 1, optimization: 'all' } as const
  const own = openSession(options)
  const fused = openEdited(options, (content) => editGraph(content, wish))
  expect(fused.outputs).toEqual(['last_hidden_state', added.pooled, added.ownAttention, added.fusedAttention])
  const { feeds, lengths } = toBatch(rows, own.inputs, right)
  const wanted = poolRows(own.run(feeds, 'last_hidden_state'), lengths, right)
  const more = toBatch(rows, fused.inputs, right).feeds
  const found = poolRows(fused.run(more, added.pooled), lengths, { pooling: 'sums', padding: 'right' })
  for (const [at, value] of wanted.values.entries())
    expect(Math.abs((found.values[at] ?? 9) - value)).toBeLessThan(1e-5)
  const checked = toBatch(rows, fused.inputs, { ...right, isCheck: true }).feeds
  const first = fused.run(checked, added.ownAttention)
  expect(first.shape).toEqual([3, 6, 16])
  expect(fused.run(checked, added.fusedAttention).data[0]).toBeCloseTo(first.data[0] ?? 9, 5)
})

test('the nodes of fused attention are gone, but for those that compare the first layer', () => {
  const view = new GraphView(readGraph(attentionEncoder()))
  const { removed = [] } = fuseAttention(view) ?? {}
  const names = view.graph.nodes.filter(({ at }) => removed.includes(at)).map(({ operator }) => operator)
  expect(names.filter((name) => name === 'Softmax')).toHaveLength(2)
  expect(names).not.toContain('Gather')
  expect(view.graph.nodes.length - removed.length).toBeLessThan(30)
})

test.each<readonly [string, AttentionPlan]>([
  ['is scaled otherwise', { scale: 0.4 }],
  ['shares out over another axis', { axis: 2 }],
])('attention that %s is none', (_, plan) => {
  expect(findAttention(new GraphView(readGraph(attentionEncoder(plan))))).toEqual([])
})

test('layers that are masked in different ways, and graphs without attention, stay as they are', () => {
  expect(fuseAttention(new GraphView(readGraph(attentionEncoder({ isLastUnmasked: true }))))).toBeUndefined()
  expect(fuseAttention(new GraphView(readGraph(testEncoder().content)))).toBeUndefined()
})

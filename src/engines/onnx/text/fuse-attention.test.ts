/** Attention by ONNX Runtime's own operator, compared with the graph's own nodes. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AttentionPlan, attentionEncoder } from '../../../testing/attention-encoder.ts'
import type { MaskKind } from '../../../testing/attention-masks.ts'
import { testEncoder } from '../../../testing/test-encoder.ts'
import { runtimePaths } from '../../runtime/runtime-paths.ts'
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
import { requireRightAttention } from './try-attention.ts'

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
  ['with masks that are read by index', { mask: { kind: 'indexed', limit: 0 } }],
]

test.each(written)('attention that is written %s gives the same vectors when it is fused', (_, plan) => {
  const modelPath = join(folder, 'model.onnx')
  writeFileSync(modelPath, attentionEncoder(plan))
  const options = { binding, modelPath, provider: 'cpu', deviceIndex: 0, threads: 1, optimization: 'all' } as const
  const own = openSession(options)
  const fused = openEdited(options, (content) =>
    editGraph(content, wish, (trial) => requireRightAttention(trial, options)),
  )
  expect(fused.remark).toBeUndefined()
  expect(fused.inputs.map(({ name }) => name)).toContain(added.spans)
  expect(fused.outputs).toEqual(['last_hidden_state', added.pooled])
  const { feeds, lengths } = toBatch(rows, own.inputs, right)
  const wanted = poolRows(own.run(feeds, 'last_hidden_state'), lengths, right)
  const more = toBatch(rows, fused.inputs, right).feeds
  const found = poolRows(fused.run(more, added.pooled), lengths, { pooling: 'sums', padding: 'right' })
  for (const [at, value] of wanted.values.entries())
    expect(Math.abs((found.values[at] ?? 9) - value)).toBeLessThan(1e-5)
})

test('the nodes of fused attention are gone', () => {
  const view = new GraphView(readGraph(attentionEncoder()))
  const removed = fuseAttention(view)?.edit.removed ?? []
  const names = view.graph.nodes.filter(({ at }) => removed.includes(at)).map(({ operator }) => operator)
  expect(names.filter((name) => name === 'Softmax')).toHaveLength(2)
  expect(names).not.toContain('Gather')
  expect(view.graph.nodes.length - removed.length).toBeLessThan(30)
})

const uneven: readonly (readonly [MaskKind, number])[] = [
  ['token', 5],
  ['types', 0],
  ['window', 200],
  ['window', 2],
  ['bias', 0],
  ['causal', 0],
  ['causal', 400],
  ['backward', 400],
  ['count', 300],
  ['table', 300],
]

test.each(uneven)(
  'attention whose mask is made by more than which tokens are padding stays as it is: %s, %d',
  (kind, limit) => {
    const view = new GraphView(readGraph(attentionEncoder({ scaling: 'computed', mask: { kind, limit } })))
    expect(findAttention(view)).toHaveLength(2)
    expect(fuseAttention(view)).toBeUndefined()
  },
)

test.each<readonly [string, AttentionPlan]>([
  ['a mask that leaves padding half seen', { mask: { kind: 'weak', limit: 0 } }],
  ['a scale that is a little off', { scale: 1.0018 / Math.sqrt(8) }],
])('%s is found when the attention is tried', (_, plan) => {
  const options = { binding, provider: 'cpu', deviceIndex: 0, threads: 1, optimization: 'all' } as const
  const edit = editGraph(attentionEncoder(plan), wish, (trial) => requireRightAttention(trial, options))
  expect(edit?.removed).toEqual([])
  expect(edit?.remark).toContain(
    "by the graph's own nodes, since ONNX Runtime's operator does not fit: it computed wrong numbers",
  )
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

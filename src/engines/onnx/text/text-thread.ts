/** The program of a thread that computes vectors or scores. */
import { dirname } from 'node:path'
import type { FloatTensor } from '../session/onnx-runtime.ts'
import { serveSession } from '../session/serve-session.ts'
import { type EditWish, editGraph } from './edit-graph.ts'
import { type Pooled, type PoolSettings, poolRows } from './pooling.ts'
import { type ScoreSettings, scoreRows } from './scores.ts'
import { requireRightAttention } from './try-attention.ts'

/** Reading of a graph's output. `lengths` are the batch's row lengths. */
export type Reading = { readonly lengths: readonly number[] } & (
  | ({ readonly type: 'vectors' } & PoolSettings)
  | ({ readonly type: 'scores' } & ScoreSettings)
)

serveSession(read, (content, wish: EditWish, options) =>
  editGraph(content, wish, (trial) =>
    requireRightAttention(trial, { ...options, weightsFolder: dirname(options.modelPath) }),
  ),
)

function read(output: FloatTensor, reading: Reading): Pooled {
  if (reading.type === 'vectors') return poolRows(output, reading.lengths, reading)
  return { dimensions: 1, values: scoreRows(output, reading.lengths, reading) }
}

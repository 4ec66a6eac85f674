import { errorText } from '../../../core/error-text.ts'
import { type GraphEdit, joinEdits } from '../session/graph-edit.ts'
import { GraphView } from '../session/graph-view.ts'
import { readGraph } from '../session/read-graph.ts'
import type { AttentionTrial } from './attention-trial.ts'
import { fuseAttention } from './fuse-attention.ts'
import { type PoolWish, poolInGraph } from './pool-in-graph.ts'

export interface EditWish extends PoolWish {
  readonly fusesAttention: boolean
}

/**
 * Returns the edit of an encoder's graph; undefined if there is none. `requireRight` tries fused attention and throws
 * if results differ, which becomes the `remark`. Throws if the content is not an ONNX model.
 */
export function editGraph(
  content: Uint8Array,
  wish: EditWish,
  requireRight: (trial: AttentionTrial) => void,
): GraphEdit | undefined {
  const graph = readGraph(content)
  const pooling = poolInGraph(graph.outputs, wish)
  const attention = wish.fusesAttention ? fuseAttention(new GraphView(graph)) : undefined
  const remark = attention === undefined ? undefined : failureOf(() => requireRight(attention.trial))
  const edits = [pooling, remark === undefined ? attention?.edit : undefined]
  const edit = joinEdits(edits.filter((each) => each !== undefined))
  if (remark === undefined) return edit
  return {
    ...(edit ?? { removed: [], appended: new Uint8Array() }),
    remark: `its attention is computed by the graph's own nodes, since ONNX Runtime's operator does not fit: ${remark}`,
  }
}

function failureOf(attempt: () => void): string | undefined {
  try {
    attempt()
    return undefined
  } catch (error) {
    return errorText(error)
  }
}

import { type GraphEdit, joinEdits } from '../session/graph-edit.ts'
import { GraphView } from '../session/graph-view.ts'
import { readGraph } from '../session/read-graph.ts'
import { fuseAttention } from './fuse-attention.ts'
import { type PoolWish, poolInGraph } from './pool-in-graph.ts'

export interface EditWish extends PoolWish {
  readonly fusesAttention: boolean
}

/** Returns how the graph of an encoder is changed; undefined where nothing can be. Throws where the content is no model. */
export function editGraph(content: Uint8Array, wish: EditWish): GraphEdit | undefined {
  const graph = readGraph(content)
  const pooling = poolInGraph(graph.outputs, wish)
  const attention = wish.fusesAttention ? fuseAttention(new GraphView(graph)) : undefined
  return joinEdits([pooling, attention].filter((edit) => edit !== undefined))
}

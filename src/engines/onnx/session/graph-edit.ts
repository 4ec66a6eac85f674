import type { GraphView } from './graph-view.ts'
import { message } from './protobuf.ts'
import type { GraphNode } from './read-graph.ts'

/** Changes to the content of a model. */
export interface GraphEdit {
  /** Indexes of the tags of nodes that are taken out. */
  readonly removed: readonly number[]
  /** Put behind the content: a message that occurs twice is read as one. */
  readonly appended: Uint8Array
  /** A line for the operator: why no more is changed. */
  readonly remark?: string | undefined
}

/** Tag of a field of a graph that nobody reads, and of the same kind as a node. */
const unreadTag = message([3, ''])[0] ?? 0

/** Changes the first `size` bytes of a content that has room behind them, and returns the changed part. */
export function applyEdit(
  content: Uint8Array<ArrayBuffer>,
  size: number,
  { removed, appended }: GraphEdit,
): Uint8Array<ArrayBuffer> {
  for (const at of removed) content[at] = unreadTag
  content.set(appended, size)
  return content.subarray(0, size + appended.length)
}

/** Returns one change that does what several do, in their order. */
export function joinEdits(edits: readonly GraphEdit[]): GraphEdit | undefined {
  if (edits.length === 0) return undefined
  return {
    removed: edits.flatMap(({ removed }) => removed),
    appended: Buffer.concat(edits.map(({ appended }) => appended)),
  }
}

/** Returns these nodes and all that only they read, in the order of the graph. `kept`: values that are read by others to come. */
export function withoutReaders(view: GraphView, nodes: readonly GraphNode[], kept: readonly string[]): GraphNode[] {
  const outputs = new Set([...kept, ...view.graph.outputs.map(({ name }) => name)])
  const dead = new Set(nodes)
  const isUnread = (node: GraphNode) =>
    node.outputs.every((output) => !outputs.has(output) && view.readers(output).every((reader) => dead.has(reader)))
  const open = [...nodes]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const input of node.inputs) {
      const maker = view.maker(input)
      if (maker === undefined || dead.has(maker) || !isUnread(maker)) continue
      dead.add(maker)
      open.push(maker)
    }
  }
  return view.graph.nodes.filter((node) => dead.has(node))
}

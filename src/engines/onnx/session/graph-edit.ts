import type { GraphView } from './graph-view.ts'
import { message } from './protobuf.ts'
import type { GraphNode } from './read-graph.ts'

/** Changes to the content of a model. */
export interface GraphEdit {
  /** Indexes of the tags of removed nodes. */
  readonly removed: readonly number[]
  /** Bytes appended to the content. Protobuf merges a message that occurs twice. */
  readonly appended: Uint8Array
  /** Line for the operator about a change that was not made. */
  readonly remark?: string | undefined
}

/** Tag of an unused field of a graph, with the same wire type as a node. */
const unreadTag = message([3, ''])[0] ?? 0

/** Applies an edit to the first `size` bytes of a content with room behind them, and returns the changed part. */
export function applyEdit(
  content: Uint8Array<ArrayBuffer>,
  size: number,
  { removed, appended }: GraphEdit,
): Uint8Array<ArrayBuffer> {
  for (const at of removed) content[at] = unreadTag
  content.set(appended, size)
  return content.subarray(0, size + appended.length)
}

/** Returns one edit that does the same as several in their order. */
export function joinEdits(edits: readonly GraphEdit[]): GraphEdit | undefined {
  if (edits.length === 0) return undefined
  return {
    removed: edits.flatMap(({ removed }) => removed),
    appended: Buffer.concat(edits.map(({ appended }) => appended)),
  }
}

/**
 * Returns these nodes and all nodes that only they read, in graph order. `kept`: values that nodes yet to be added
 * will read.
 */
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

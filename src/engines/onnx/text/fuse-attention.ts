/**
 * Puts one operator in place of the many nodes of each attention, so that the scores of a text's tokens with each other are never
 * written out. The first layer's own nodes stay, to be compared with the operator when the model is loaded. Pure.
 */
import { type GraphEdit, makersOf, withoutReaders } from '../session/graph-edit.ts'
import type { GraphView } from '../session/graph-view.ts'
import { message, type NewField, readFields } from '../session/protobuf.ts'
import type { GraphNode } from '../session/read-graph.ts'
import { type NewNode, nodeMessage, valueMessage } from '../session/write-graph.ts'
import { added } from './added-names.ts'
import { type Attention, findAttention } from './find-attention.ts'

const domain = 'com.microsoft'
const domainVersion = 1

/** Returns the change; undefined where no attention is found, or its layers are masked in different ways. */
export function fuseAttention(view: GraphView): GraphEdit | undefined {
  const layers = findAttention(view)
  const [first] = layers
  if (first === undefined || layers.some(({ mask }) => !view.isSame(mask, first.mask))) return undefined
  const replaced = layers.flatMap(({ output }) => view.maker(output) ?? [])
  const removed = withoutReaders(
    view,
    replaced,
    layers.flatMap(({ query, key, value }) => [query, key, value]),
  )
  const own = makersOf(view, first.output, removed)
  const graph = message(
    ...layers.flatMap(fusedNodes).map((node): NewField => [1, nodeMessage(node)]),
    [1, checkNode(first.output, own)],
    [11, valueMessage(added.spans, 'int32', [undefined])],
    [11, valueMessage(added.isCheck, 'bool', [1])],
    [12, message([1, added.ownAttention])],
    [12, message([1, added.fusedAttention])],
  )
  const operators = message([1, domain], [2, domainVersion])
  const isDeclared = view.graph.domains.includes(domain)
  const appended = message([7, graph], ...(isDeclared ? [] : [[8, operators] as const]))
  return { removed: removed.map(({ at }) => at), appended }
}

function fusedNodes({ query, key, value, output, heads, cast }: Attention, layer: number): NewNode[] {
  const fused = layer === 0 ? 'inferd_first_attention' : `inferd_attention_${layer}`
  const inputs = [query, key, value, '', added.spans]
  const toOutput = (name: string): NewNode =>
    cast === undefined
      ? { operator: 'Identity', inputs: [fused], output: name }
      : { operator: 'Cast', inputs: [fused], output: name, attributes: { to: cast } }
  return [
    { operator: 'MultiHeadAttention', domain, inputs, output: fused, attributes: { num_heads: heads } },
    toOutput(output),
    ...(layer === 0 ? [{ operator: 'Identity', inputs: [output], output: added.fusedAttention }] : []),
  ]
}

/** Makes a node that computes the first layer's attention by its own nodes, where that is asked for. */
function checkNode(output: string, nodes: readonly GraphNode[]): Uint8Array {
  const checked = 'inferd_checked'
  const own = message(
    ...nodes.map(
      ({ content, outputs }): NewField => [1, outputs.includes(output) ? renamed(content, checked) : content],
    ),
    [2, 'own'],
    [12, message([1, checked])],
  )
  const unchecked = message(
    [1, nodeMessage({ operator: 'Identity', inputs: [output], output: 'inferd_unchecked' })],
    [2, 'fused'],
    [12, message([1, 'inferd_unchecked'])],
  )
  const branch = (name: string, graph: Uint8Array) => message([1, name], [6, graph], [20, graphType])
  return message(
    [1, added.isCheck],
    [2, added.ownAttention],
    [4, 'If'],
    [5, branch('then_branch', own)],
    [5, branch('else_branch', unchecked)],
  )
}

/** Type of an attribute that is a graph, by its number in `AttributeProto.AttributeType`. */
const graphType = 5

/** Returns a node of one output, with another name for it. */
function renamed(content: Uint8Array, output: string): Uint8Array {
  const others = [...readFields(content)].filter(({ number }) => number !== 2)
  return Buffer.concat([...others.map(({ at, end }) => content.subarray(at, end)), message([2, output])])
}

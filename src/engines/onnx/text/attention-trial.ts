/**
 * A small model that computes one attention twice from the same inputs: by the graph's own nodes and by the operator
 * that replaces them. Pure.
 */
import type { GraphView } from '../session/graph-view.ts'
import { message, type NewField } from '../session/protobuf.ts'
import type { GraphNode } from '../session/read-graph.ts'
import { elementNumbers, type NewNode, nodeMessage, valueMessage } from '../session/write-graph.ts'
import { added } from './added-names.ts'
import { MaskReader } from './even-mask.ts'
import type { Attention } from './find-attention.ts'

/** Inputs of single precision and shape [texts, columns, dimensions]. The outputs have the same shape. */
export const trialInputs = ['inferd_trial_query', 'inferd_trial_key', 'inferd_trial_value'] as const
export const trialOutputs = { own: 'inferd_trial_own', fused: 'inferd_trial_fused' } as const

export interface AttentionTrial {
  /** Content of the model. */
  readonly content: Uint8Array
  readonly dimensions: number
  /** True if attention is computed in single precision. */
  readonly isSingle: boolean
}

/** ONNX IR version, independent of the operators' versions. */
const formatVersion = 8
/** Largest copied weight, in bytes. Larger weights have no part in attention. */
const constantBytes = 65_536

interface Parts {
  readonly nodes: Set<GraphNode>
  readonly weights: Map<string, Uint8Array>
  readonly inputs: Map<string, Uint8Array>
  /** Token tensors of which only the shape is read. */
  readonly shapes: Set<string>
}

/**
 * Returns the trial of an attention. `own`: nodes that only attention reads. `fused` computes the same output from the
 * same inputs under another name. Undefined if the nodes read more than inputs, masks and shapes.
 */
export function attentionTrial(
  view: GraphView,
  attention: Attention,
  own: readonly GraphNode[],
  {
    nodes: fused,
    output: fusedOutput,
    operators,
  }: { nodes: readonly NewNode[]; output: string; operators: readonly Uint8Array[] },
): AttentionTrial | undefined {
  const parts = collect(view, attention, own)
  if (parts === undefined) return undefined
  const { query, key, value, output, element, dimensions } = attention
  const given = new Map([query, key, value].map((name, at) => [name, trialInputs[at] ?? '']))
  const toSingle = (input: string, name: string): NewNode => cast(input, name, elementNumbers.float32)
  const addedNodes = [
    ...[...given].map(([name, input]) => cast(input, name, element)),
    ...[...parts.shapes].map((name): NewNode => ({ operator: 'Identity', inputs: [query], output: name })),
    ...fused,
    toSingle(output, trialOutputs.own),
    toSingle(fusedOutput, trialOutputs.fused),
  ]
  const graph = message(
    ...addedNodes.map((node): NewField => [1, nodeMessage(node)]),
    ...view.graph.nodes.filter((node) => parts.nodes.has(node)).map(({ content }): NewField => [1, content]),
    [2, 'trial'],
    ...[...parts.weights.values()].map((weight): NewField => [5, weight]),
    ...[...parts.inputs.values()].map((input): NewField => [11, input]),
    ...[...given.values()].map(
      (name): NewField => [11, valueMessage(name, 'float32', [undefined, undefined, dimensions])],
    ),
    [11, valueMessage(added.spans, 'int32', [undefined])],
    ...Object.values(trialOutputs).map((name): NewField => [12, message([1, name])]),
  )
  const content = message([1, formatVersion], [7, graph], ...operators.map((each): NewField => [8, each]))
  return { content, dimensions, isSingle: element === elementNumbers.float32 }
}

/** Collects the nodes between the tokens' queries, keys and values and the output. */
function collect(
  view: GraphView,
  { query, key, value, output }: Attention,
  own: readonly GraphNode[],
): Parts | undefined {
  const parts: Parts = { nodes: new Set(), weights: new Map(), inputs: new Map(), shapes: new Set() }
  const among = new Set(own)
  const masks = new MaskReader(view)
  const seen = new Set(['', query, key, value])
  const open = [output]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    const node = view.maker(name)
    const weight = view.graph.weights.get(name)
    const input = view.graph.inputs.get(name)
    if (node !== undefined && (among.has(node) || masks.kindOf(name) !== undefined)) {
      parts.nodes.add(node)
      const isKnown = (each: string) => {
        const maker = view.maker(each)
        return (
          (maker === undefined ? view.graph.inputs.has(each) : among.has(maker)) || masks.kindOf(each) !== undefined
        )
      }
      if (node.operator !== 'Shape') open.push(...node.inputs)
      else
        for (const each of node.inputs)
          if (isKnown(each) || seen.has(each)) open.push(each)
          else parts.shapes.add(each)
    } else if (weight !== undefined && weight.length <= constantBytes) parts.weights.set(name, weight)
    else if (input !== undefined) parts.inputs.set(name, input)
    else return undefined
  }
  return parts
}

function cast(input: string, output: string, to: number): NewNode {
  return { operator: 'Cast', inputs: [input], output, attributes: { to } }
}

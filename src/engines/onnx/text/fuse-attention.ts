/** Replaces the nodes of each attention by one operator, so that the token scores are never written to memory. Pure. */
import { type GraphEdit, withoutReaders } from '../session/graph-edit.ts'
import type { GraphView } from '../session/graph-view.ts'
import { message, type NewField } from '../session/protobuf.ts'
import { type NewNode, nodeMessage, valueMessage } from '../session/write-graph.ts'
import { added } from './added-names.ts'
import { type AttentionTrial, attentionTrial } from './attention-trial.ts'
import { isEvenMask } from './even-mask.ts'
import { type Attention, findAttention } from './find-attention.ts'

const domain = 'com.microsoft'
const domainVersion = 1

interface FusedAttention {
  readonly edit: GraphEdit
  /** Trial of the first layer, to be run before the edit is used. */
  readonly trial: AttentionTrial
}

/**
 * Returns the edit. Undefined if no attention is found, or if a mask may hide more than padding or differs between
 * layers.
 */
export function fuseAttention(view: GraphView): FusedAttention | undefined {
  const layers = findAttention(view)
  const [first] = layers
  if (first === undefined || !isEvenMask(view, first.mask)) return undefined
  if (layers.some(({ mask }) => !view.isSame(mask, first.mask))) return undefined
  const replaced = layers.flatMap(({ output }) => view.maker(output) ?? [])
  const removed = withoutReaders(
    view,
    replaced,
    layers.flatMap(({ query, key, value }) => [query, key, value]),
  )
  const graph = message(
    ...layers
      .flatMap((layer, at) => fusedNodes(layer, `inferd_attention_${at}`))
      .map((node): NewField => [1, nodeMessage(node)]),
    [11, valueMessage(added.spans, 'int32', [undefined])],
  )
  const declared = message([1, domain], [2, domainVersion])
  const isDeclared = view.graph.domains.includes(domain)
  const trial = attentionTrial(view, first, removed, {
    nodes: fusedNodes({ ...first, output: 'inferd_tried' }, 'inferd_attention'),
    output: 'inferd_tried',
    operators: [...view.graph.operators, ...(isDeclared ? [] : [declared])],
  })
  if (trial === undefined) return undefined
  const appended = message([7, graph], ...(isDeclared ? [] : [[8, declared] as const]))
  return { edit: { removed: removed.map(({ at }) => at), appended }, trial }
}

function fusedNodes({ query, key, value, output, heads, cast }: Attention, fused: string): NewNode[] {
  const inputs = [query, key, value, '', added.spans]
  return [
    { operator: 'MultiHeadAttention', domain, inputs, output: fused, attributes: { num_heads: heads } },
    cast === undefined
      ? { operator: 'Identity', inputs: [fused], output }
      : { operator: 'Cast', inputs: [fused], output, attributes: { to: cast } },
  ]
}

/** Scale factors of attention scores, including those that a graph computes from its tensors' shapes. Pure. */
import type { GraphView } from '../session/graph-view.ts'
import type { GraphNode } from '../session/read-graph.ts'

/** Lengths of the last axis: of token tensors, and of each head. */
export interface Lengths {
  readonly dimensions: number
  readonly size: number
}

/** Nodes that change no number. */
const copies = ['Cast', 'Identity', 'Unsqueeze', 'Squeeze', 'Reshape']

const calculations: Readonly<Record<string, (first: number, second: number) => number>> = {
  Sqrt: Math.sqrt,
  Reciprocal: (value) => 1 / value,
  Mul: (first, second) => first * second,
  Div: (first, second) => first / second,
  Pow: (first, second) => first ** second,
}

/** Returns the value at the start of a chain of casts and scalar factors, and the product of the factors. */
export function scaledOf(view: GraphView, value: string, lengths: Lengths): { value: string; scale: number } {
  const node = view.maker(value)
  const [first = '', second = ''] = node?.inputs ?? []
  if (node?.operator === 'Cast') return scaledOf(view, first, lengths)
  if (node?.operator !== 'Mul' && node?.operator !== 'Div') return { value, scale: 1 }
  const isDivision = node.operator === 'Div'
  const factor = singleNumber(view, second, lengths)
  const [rest, number] =
    factor !== undefined || isDivision ? [first, factor] : [second, singleNumber(view, first, lengths)]
  if (number === undefined) return { value, scale: 1 }
  const inner = scaledOf(view, rest, lengths)
  return { value: inner.value, scale: isDivision ? inner.scale / number : inner.scale * number }
}

/** Returns a scalar that is the same for all texts; undefined for other values. */
function singleNumber(view: GraphView, value: string, lengths: Lengths): number | undefined {
  const constant = view.numbers(value)
  if (constant !== undefined) return constant.length === 1 ? constant[0] : undefined
  const node = view.maker(value)
  if (node === undefined) return undefined
  const [first = '', second] = node.inputs
  if (copies.includes(node.operator)) return singleNumber(view, first, lengths)
  const calculate = calculations[node.operator]
  if (calculate === undefined) return lastLength(view, node, lengths)
  const numbers = [first, second ?? first].map((input) => singleNumber(view, input, lengths))
  const [left, right] = numbers
  return left === undefined || right === undefined ? undefined : calculate(left, right)
}

/** Returns the last dimension of a tensor of tokens or heads if a node reads it from the tensor's shape. */
function lastLength(view: GraphView, { operator, inputs }: GraphNode, lengths: Lengths): number | undefined {
  const [shape = '', at = ''] = inputs
  if ((operator !== 'Gather' && operator !== 'Slice') || view.maker(shape, 'Shape') === undefined) return undefined
  const [axis, ...others] = view.numbers(at) ?? []
  if (others.length > 0) return undefined
  if (axis === 2) return lengths.dimensions
  return axis === 3 || axis === -1 ? lengths.size : undefined
}

/**
 * Finds attention in the graph of an encoder: scores of every token with every other, scaled, masked, softmax, and the
 * sum of values weighted by them. Finds only nodes that compute exactly that, in one of the forms that exporters
 * write. Pure.
 */
import type { GraphView } from '../session/graph-view.ts'
import { attributeNumbers, type GraphNode } from '../session/read-graph.ts'
import { type Lengths, scaledOf } from './scale-factor.ts'

/** Names of values. Values of tokens have the shape [texts, columns, dimensions]. */
export interface Attention {
  readonly query: string
  readonly key: string
  readonly value: string
  readonly output: string
  /** Mask added to the scores, before it is cast to their type. */
  readonly mask: string
  readonly heads: number
  readonly dimensions: number
  /** Element type of queries, keys and values, by its number. */
  readonly element: number
  /** Element type that the output is cast to, by its number. */
  readonly cast: number | undefined
}

/** Order of axes between [texts, columns, heads, size] and [texts, heads, columns, size]. */
const headsFirst = '0,2,1,3'
/** Relative tolerance of the scale, which may be rounded to half precision. */
const scaleTolerance = 0.002

/** Returns the attention of each layer, in graph order. */
export function findAttention(view: GraphView): Attention[] {
  return view.graph.nodes.flatMap((node) => (node.operator === 'Softmax' ? (attentionOf(view, node) ?? []) : []))
}

function attentionOf(view: GraphView, softmax: GraphNode): Attention | undefined {
  const [axis] = attributeNumbers(softmax, 'axis')
  const weighted = sumBy(view, softmax)
  if (weighted === undefined) return undefined
  const { size, heads, tokens } = weighted.values
  const lengths: Lengths = { size, dimensions: size * heads }
  const masked = view.maker(passCasts(view, softmax.inputs[0] ?? ''), 'Add')
  if (masked === undefined || (axis !== -1 && axis !== 3)) return undefined
  const scores = masked.inputs.flatMap((input, at) => {
    const scaled = scaledOf(view, input, lengths)
    const product = view.maker(scaled.value, 'MatMul')
    return product === undefined
      ? []
      : [{ product, scale: scaled.scale, mask: passCasts(view, masked.inputs[1 - at] ?? '') }]
  })
  const [{ product, scale, mask } = {}] = scores
  if (product === undefined || scale === undefined || mask === undefined || scores.length !== 1) return undefined
  const query = scaledOf(view, product.inputs[0] ?? '', lengths)
  const key = scaledOf(view, product.inputs[1] ?? '', lengths)
  const queries = tokensOf(view, query.value)
  const keys = tokensOf(view, turned(view, key.value))
  if (queries === undefined || keys === undefined) return undefined
  const isScaled = Math.abs(scale * query.scale * key.scale * Math.sqrt(size) - 1) < scaleTolerance
  const isEven = [keys, queries].every((other) => other.size === size && other.heads === heads)
  const element = elementOf(view, tokens)
  if (!isScaled || !isEven || element === undefined) return undefined
  const { output, cast } = weighted
  const { dimensions } = lengths
  return { query: queries.tokens, key: keys.tokens, value: tokens, output, mask, heads, dimensions, element, cast }
}

/** Follows the softmax result to its product with the values, and from there to the output. */
function sumBy(view: GraphView, softmax: GraphNode) {
  const [shares = ''] = softmax.outputs
  for (const name of [shares, ...aliases(view, shares)]) {
    for (const product of view.readers(name)) {
      if (product.operator !== 'MatMul' || product.inputs[0] !== name) continue
      const cast = view.maker(product.inputs[1] ?? '', 'Cast')
      const values = tokensOf(view, cast?.inputs[0] ?? product.inputs[1] ?? '')
      const transposed = onlyReader(view, product, 'Transpose')
      const output = transposed === undefined ? undefined : onlyReader(view, transposed, 'Reshape')
      const isBack = transposed !== undefined && axesOf(transposed) === headsFirst
      if (values === undefined || output === undefined || !isBack) continue
      const [to] = cast === undefined ? [] : attributeNumbers(cast, 'to')
      return { values, output: output.outputs[0] ?? '', cast: to }
    }
  }
  return undefined
}

/**
 * Returns other names of the softmax result: casts, and copies in which NaN (of texts without tokens) is replaced by
 * 0.
 */
function aliases(view: GraphView, shares: string): string[] {
  return view.readers(shares).flatMap((node) => {
    const [output = ''] = node.outputs
    if (node.operator === 'Cast') return [output, ...aliases(view, output)]
    const [condition = '', replaced = '', kept] = node.inputs
    const isGuard = node.operator === 'Where' && kept === shares && view.maker(condition, 'IsNaN')?.inputs[0] === shares
    return isGuard && view.numbers(replaced)?.every((number) => number === 0) ? [output, ...aliases(view, output)] : []
  })
}

function passCasts(view: GraphView, value: string): string {
  const cast = view.maker(value, 'Cast')
  return cast === undefined ? value : passCasts(view, cast.inputs[0] ?? '')
}

/**
 * Returns the tokens tensor of shape [texts, columns, dimensions] from which a value of shape [texts, heads, columns,
 * size] was made.
 */
function tokensOf(view: GraphView, value: string | { readonly reshaped: string }) {
  const transposed = typeof value === 'string' ? view.maker(value, 'Transpose') : undefined
  if (typeof value === 'string' && (transposed === undefined || axesOf(transposed) !== headsFirst)) return undefined
  const reshaped = typeof value === 'string' ? transposed?.inputs[0] : value.reshaped
  const reshape = view.maker(reshaped ?? '', 'Reshape')
  const [tokens = '', shape = ''] = reshape?.inputs ?? []
  const [heads = -1, size = -1] = lastLengths(view, shape)
  const dimensions = dimensionsOf(view, tokens)
  if (dimensions === undefined) return undefined
  const found = { tokens, heads: heads > 0 ? heads : dimensions / size, size: size > 0 ? size : dimensions / heads }
  return found.heads * found.size === dimensions && Number.isInteger(found.heads) && found.size > 0 ? found : undefined
}

/** Returns the keys before they were transposed for the product, in one step or in two. */
function turned(view: GraphView, value: string): string | { readonly reshaped: string } {
  const transposed = view.maker(value, 'Transpose')
  if (transposed === undefined) return ''
  const [input = ''] = transposed.inputs
  const axes = axesOf(transposed)
  if (axes === '0,2,3,1') return { reshaped: input }
  return axes === '0,1,3,2' ? input : ''
}

/** Returns the last two of four lengths; -1 for a length that is not constant. */
function lastLengths(view: GraphView, shape: string): number[] {
  const whole = view.numbers(shape)
  if (whole !== undefined) return whole.length === 4 ? whole.slice(2) : []
  const parts = view.maker(shape, 'Concat')?.inputs.slice(-2) ?? []
  return parts.map((part) => {
    const [length = -1, ...others] = view.numbers(part) ?? []
    return others.length === 0 ? length : -1
  })
}

/** Returns the length of the tokens' last axis, from the weights that produced them. */
function dimensionsOf(view: GraphView, tokens: string): number | undefined {
  const node = view.maker(tokens)
  if (node === undefined) return undefined
  const lengths = node.inputs.map((input) => view.lengths(input))
  if (node.operator === 'Add') return lengths.find((each) => each?.length === 1)?.[0]
  if (node.operator === 'MatMul') return lengths[1]?.at(-1)
  return undefined
}

/** Returns the element type of the weights that produced the tokens. */
function elementOf(view: GraphView, tokens: string): number | undefined {
  return view.maker(tokens)?.inputs.flatMap((input) => view.element(input) ?? [])[0]
}

function onlyReader(view: GraphView, node: GraphNode, operator: string): GraphNode | undefined {
  const [reader, ...others] = view.readers(node.outputs[0] ?? '')
  return others.length === 0 && reader?.operator === operator ? reader : undefined
}

function axesOf(transpose: GraphNode): string {
  return attributeNumbers(transpose, 'perm').join()
}

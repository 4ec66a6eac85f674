import { message, type NewField } from '../engines/onnx/session/protobuf.ts'
import {
  elementNumbers,
  floatsMessage,
  type NewNode,
  nodeMessage,
  numbersMessage,
  valueMessage,
} from '../engines/onnx/session/write-graph.ts'
import { type MaskPlan, maskConstants, maskNodes } from './attention-masks.ts'

export interface AttentionPlan {
  readonly layers?: number
  readonly vocabulary?: number
  /** Values that are scaled: the scores, or queries and keys before their product. */
  readonly scaling?: 'scores' | 'both' | 'divided' | 'computed'
  /** Scale factor. By default the one for the size of a head. */
  readonly scale?: number
  /** Number of steps in which keys are transposed. */
  readonly turns?: 1 | 2
  /** Source of the heads' lengths: constants, or the lengths of the tokens. */
  readonly lengths?: 'constant' | 'read'
  /** True to replace NaN shares by zeros. */
  readonly isGuarded?: boolean
  /** Mask of the scores. Defaults to one that hides padding only. */
  readonly mask?: MaskPlan
  /** True for a second layer without a mask. */
  readonly isLastUnmasked?: boolean
  readonly axis?: number
}

const dimensions = 16
const heads = 2
const size = dimensions / heads

/** Returns an ONNX graph of attention layers in the form of exporters, with random weights. */
export function attentionEncoder(plan: AttentionPlan = {}): Uint8Array {
  const { layers = 2, vocabulary = 40, mask = { kind: 'padding', limit: 0 } } = plan
  const weights: Uint8Array[] = [
    floatsMessage('vectors', [vocabulary, dimensions], numbers(vocabulary * dimensions, 1, 1)),
    ...Object.entries(factors(plan)).map(([name, factor]) => floatsMessage(name, [], Float32Array.of(factor))),
    numbersMessage('four', [0, 0, heads, size]),
    numbersMessage('three', [0, 0, dimensions]),
    numbersMessage('left', [-1]),
    numbersMessage('size', [size]),
    numbersMessage('begin', [0]),
    numbersMessage('end', [2]),
    numbersMessage('last axis', [3]),
    ...maskConstants(mask),
  ]
  const nodes: NewNode[] = [
    { operator: 'Gather', inputs: ['vectors', 'input_ids'], output: 'tokens 0' },
    ...maskNodes(mask),
    ...(plan.isLastUnmasked === true ? [{ operator: 'Mul', inputs: ['mask', 'zero'], output: 'no mask' }] : []),
    { operator: 'Shape', inputs: ['input_ids'], output: 'texts and columns' },
    { operator: 'Slice', inputs: ['texts and columns', 'begin', 'end'], output: 'leading' },
    { operator: 'Concat', inputs: ['leading', 'left', 'size'], output: 'read four', attributes: { axis: 0 } },
  ]
  for (let layer = 0; layer < layers; layer++) {
    for (const [at, kind] of ['query', 'key', 'value'].entries()) {
      const weight = `${kind} weight ${layer}`
      weights.push(floatsMessage(weight, [dimensions, dimensions], numbers(dimensions ** 2, layer * 3 + at + 2, 0.4)))
      weights.push(floatsMessage(`${kind} bias ${layer}`, [dimensions], numbers(dimensions, layer * 3 + at + 9, 0.4)))
    }
    nodes.push(...attention(plan, layer, plan.isLastUnmasked === true && layer === layers - 1 ? 'no mask' : 'mask'))
  }
  const graph = message(
    ...[...nodes, { operator: 'Identity', inputs: [`tokens ${layers}`], output: 'last_hidden_state' }].map(
      (node): NewField => [1, nodeMessage(node)],
    ),
    [2, 'encoder'],
    ...weights.map((weight): NewField => [5, weight]),
    ...['input_ids', 'attention_mask', ...(mask.kind === 'types' ? ['token_type_ids'] : [])].map(
      (name): NewField => [11, valueMessage(name, 'int64', [undefined, undefined])],
    ),
    [12, valueMessage('last_hidden_state', 'float32', [undefined, undefined, dimensions])],
  )
  return message([1, 8], [7, graph], [8, message([1, ''], [2, 17])])
}

function factors({ scale = 1 / Math.sqrt(size) }: AttentionPlan): Readonly<Record<string, number>> {
  return { scale, 'half scale': Math.sqrt(scale), divisor: 1 / scale, one: 1, zero: 0 }
}

function attention(plan: AttentionPlan, layer: number, mask: string): NewNode[] {
  const { scaling = 'scores', turns = 1, lengths = 'constant', isGuarded = false, axis = 3 } = plan
  const name = (value: string) => `${value} ${layer}`
  const node = (
    operator: string,
    inputs: string[],
    output: string,
    attributes: NewNode['attributes'] = {},
  ): NewNode => ({
    ...{ operator, inputs, output: name(output), attributes },
  })
  const isSplit = scaling === 'both'
  const isCastOn = scaling === 'computed'
  return [
    ...['query', 'key', 'value'].flatMap((kind) => [
      node('MatMul', [name('tokens'), name(`${kind} weight`)], `${kind} product`),
      node('Add', [name(`${kind} bias`), name(`${kind} product`)], kind),
      node('Reshape', [name(kind), lengths === 'constant' ? 'four' : 'read four'], `${kind} parts`),
    ]),
    node('Transpose', [name('query parts')], 'queries', { perm: [0, 2, 1, 3] }),
    node('Transpose', [name('value parts')], 'values', { perm: [0, 2, 1, 3] }),
    ...(turns === 1
      ? [node('Transpose', [name('key parts')], 'keys', { perm: [0, 2, 3, 1] })]
      : [
          node('Transpose', [name('key parts')], 'key heads', { perm: [0, 2, 1, 3] }),
          node('Transpose', [name('key heads')], 'keys', { perm: [0, 1, 3, 2] }),
        ]),
    node('Mul', [name('queries'), isSplit ? 'half scale' : 'one'], 'scaled queries'),
    node('Mul', [isSplit ? 'half scale' : 'one', name('keys')], 'scaled keys'),
    node('MatMul', [name('scaled queries'), name('scaled keys')], 'product'),
    ...scores(scaling, name),
    node('Cast', [layer === 0 ? mask : `cast mask ${layer - 1}`], 'cast mask', { to: elementNumbers.float32 }),
    node('Add', [name('scores'), isCastOn ? name('cast mask') : mask], 'masked'),
    node('Softmax', [name('masked')], 'shares', { axis }),
    ...(isGuarded
      ? [
          node('IsNaN', [name('shares')], 'is no number'),
          node('Where', [name('is no number'), 'zero', name('shares')], 'guarded'),
        ]
      : []),
    node('MatMul', [name(isGuarded ? 'guarded' : 'shares'), name('values')], 'sums'),
    node('Transpose', [name('sums')], 'turned back', { perm: [0, 2, 1, 3] }),
    node('Reshape', [name('turned back'), 'three'], 'attended'),
    { operator: 'Add', inputs: [name('attended'), name('tokens')], output: `tokens ${layer + 1}` },
  ]
}

/** Scales the product of queries and keys. */
function scores(scaling: AttentionPlan['scaling'], name: (value: string) => string): NewNode[] {
  const [product, output] = [name('product'), name('scores')]
  if (scaling === 'divided') return [{ operator: 'Div', inputs: [product, 'divisor'], output }]
  if (scaling !== 'computed') {
    return [{ operator: 'Mul', inputs: [product, scaling === 'both' ? 'one' : 'scale'], output }]
  }
  const [lengths, length, single, root] = [name('lengths'), name('length'), name('single'), name('root')]
  return [
    { operator: 'Shape', inputs: [name('queries')], output: lengths },
    { operator: 'Gather', inputs: [lengths, 'last axis'], output: length },
    { operator: 'Cast', inputs: [length], output: single, attributes: { to: elementNumbers.float32 } },
    { operator: 'Sqrt', inputs: [single], output: root },
    { operator: 'Div', inputs: [product, root], output },
  ]
}

/** Returns pseudo-random numbers without a short period. */
function numbers(count: number, seed: number, size: number): Float32Array {
  return Float32Array.from({ length: count }, (_, at) => Math.sin((at + 1) * (seed * 0.37 + 0.7)) * size)
}

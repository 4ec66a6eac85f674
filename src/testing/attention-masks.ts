/** Masks of generated encoders: nodes that make the value `mask` of `input_ids`, `attention_mask` and some constants. */
import { elementNumbers, floatsMessage, type NewNode, numbersMessage } from '../engines/onnx/session/write-graph.ts'

/**
 * Masks by kind. `padding` and `indexed` hide padding, the latter in the form of newer exporters; `weak` hides it only
 * partly. Beyond padding, `token` hides a token id, `types` the second of two texts, `window` distant tokens, `causal`
 * later tokens. `bias` weakens tokens by distance. `count`, `table` and `backward` hide all tokens after the first
 * ones: by a sum, a table, or positions counted downward.
 */
export type MaskKind =
  | 'padding'
  | 'indexed'
  | 'weak'
  | 'token'
  | 'types'
  | 'window'
  | 'bias'
  | 'causal'
  | 'backward'
  | 'count'
  | 'table'

export interface MaskPlan {
  readonly kind: MaskKind
  /** Masked token id, largest visible distance, or number of visible tokens, by kind. */
  readonly limit: number
}

const lowest = -10_000
/** Longest text of a `table` mask, in tokens. */
const tableLength = 512

export function maskConstants({ kind, limit }: MaskPlan): Uint8Array[] {
  const bias = Float32Array.from({ length: tableLength ** 2 }, (_, at) => (at % tableLength > limit ? lowest : 0))
  return [
    floatsMessage('lowest', [], Float32Array.of(kind === 'weak' ? -1 : lowest)),
    floatsMessage('limit', [], Float32Array.of(limit)),
    floatsMessage('slope', [], Float32Array.of(-0.5)),
    floatsMessage('lowest place', [], Float32Array.of(-limit)),
    numbersMessage('limit id', [limit]),
    numbersMessage('first', [0]),
    numbersMessage('second', [1]),
    numbersMessage('both', [1, 2]),
    numbersMessage('flat', [-1]),
    numbersMessage('starts', [0, 0]),
    numbersMessage('last two', [2, 3]),
    numbersMessage('not first', [1, 2, 3]),
    numbersMessage('starts of keys', [0, 1, 2]),
    ...(kind === 'table' ? [floatsMessage('table', [1, 1, tableLength, tableLength], bias)] : []),
  ]
}

export function maskNodes({ kind }: MaskPlan): NewNode[] {
  if (kind === 'indexed') return [...indexed]
  const seen = kept[kind]
  const more = added[kind]
  return [
    ...(seen ?? []),
    toSingle(seen === undefined ? 'attention_mask' : 'seen', 'kept'),
    node('Unsqueeze', ['kept', 'both'], 'wide'),
    node('Sub', ['one', 'wide'], 'left out'),
    node('Mul', ['left out', 'lowest'], more === undefined ? 'mask' : 'padding mask'),
    ...(more === undefined ? [] : [...places, ...more, node('Add', ['padding mask', 'more'], 'mask')]),
  ]
}

function node(operator: string, inputs: string[], output: string, attributes: NewNode['attributes'] = {}): NewNode {
  return { operator, inputs, output, attributes }
}

function toSingle(input: string, output: string): NewNode {
  return node('Cast', [input], output, { to: elementNumbers.float32 })
}

function toWhole(input: string, output: string): NewNode {
  return node('Cast', [input], output, { to: elementNumbers.int64 })
}

/** Nodes that compute `seen`: 1 for each visible token, in its text. */
const kept: Partial<Record<MaskKind, readonly NewNode[]>> = {
  token: [
    node('Equal', ['input_ids', 'limit id'], 'is hidden'),
    toWhole('is hidden', 'hidden'),
    node('Sub', ['attention_mask', 'hidden'], 'seen'),
  ],
  types: [node('Sub', ['attention_mask', 'token_type_ids'], 'seen')],
  count: [
    node('CumSum', ['attention_mask', 'second'], 'counted'),
    node('LessOrEqual', ['counted', 'limit id'], 'is early'),
    toWhole('is early', 'early'),
    node('Mul', ['attention_mask', 'early'], 'seen'),
  ],
}

/** Nodes that compute the distances between tokens, of shape [columns, columns]. */
const places: readonly NewNode[] = [
  node('Shape', ['input_ids'], 'all lengths'),
  node('Gather', ['all lengths', 'second'], 'columns'),
  node('Squeeze', ['columns'], 'column count'),
  node('Squeeze', ['first'], 'zero place'),
  node('Squeeze', ['second'], 'one place'),
  node('Range', ['zero place', 'column count', 'one place'], 'place'),
  toSingle('place', 'places'),
  node('Unsqueeze', ['places', 'second'], 'query places'),
  node('Sub', ['places', 'query places'], 'steps'),
]

/** Nodes that compute `more`, which is added to the mask of padding. */
const added: Partial<Record<MaskKind, readonly NewNode[]>> = {
  window: [
    node('Abs', ['steps'], 'distance'),
    node('Greater', ['distance', 'limit'], 'is far'),
    node('Where', ['is far', 'lowest', 'zero'], 'more'),
  ],
  bias: [node('Abs', ['steps'], 'distance'), node('Mul', ['distance', 'slope'], 'more')],
  causal: [node('Greater', ['steps', 'limit'], 'is later'), node('Where', ['is later', 'lowest', 'zero'], 'more')],
  backward: [
    node('Neg', ['column count'], 'minus count'),
    node('Neg', ['one place'], 'minus one'),
    node('Range', ['zero place', 'minus count', 'minus one'], 'place backward'),
    toSingle('place backward', 'places backward'),
    node('GreaterOrEqual', ['places backward', 'lowest place'], 'is early'),
    node('Where', ['is early', 'zero', 'lowest'], 'more'),
  ],
  table: [
    node('Concat', ['columns', 'columns'], 'table lengths', { axis: 0 }),
    node('Slice', ['table', 'starts', 'table lengths', 'last two'], 'more'),
  ],
}

/** Nodes that read each key's mask at its index among the keys of all texts. */
const indexed: readonly NewNode[] = [
  ...places.slice(0, 6),
  node('Gather', ['all lengths', 'first'], 'texts'),
  node('Squeeze', ['texts'], 'text count'),
  node('Range', ['zero place', 'text count', 'one place'], 'text'),
  node('Unsqueeze', ['text', 'not first'], 'each text'),
  node('Unsqueeze', ['place', 'starts of keys'], 'keys'),
  node('Mul', ['each text', 'columns'], 'begins'),
  node('Add', ['keys', 'begins'], 'indexes'),
  node('Reshape', ['attention_mask', 'flat'], 'all masks'),
  node('Gather', ['all masks', 'indexes'], 'found'),
  node('Cast', ['found'], 'is own', { to: elementNumbers.bool }),
  node('GreaterOrEqual', ['keys', 'first'], 'is any'),
  node('And', ['is any', 'is own'], 'is seen'),
  node('Shape', ['tokens 0'], 'token lengths'),
  node('Slice', ['token lengths', 'first', 'second'], 'text length'),
  node('Concat', ['text length', 'second', 'columns', 'columns'], 'mask lengths', { axis: 0 }),
  node('Expand', ['is seen', 'mask lengths'], 'is seen by all'),
  node('Where', ['is seen by all', 'zero', 'lowest'], 'mask'),
]

/**
 * Tells whether an attention's mask treats all tokens of a text alike, whatever they are and wherever they stand, so that it can hide
 * padding alone. It follows the nodes that make the mask; what it does not know counts as uneven. Pure.
 */
import type { GraphView } from '../session/graph-view.ts'
import type { GraphNode } from '../session/read-graph.ts'

/**
 * `even`: made of the attention mask, number by number. `places`: counts 0, 1, 2 ... with offsets. `number`: the same number
 * everywhere. `list`: lengths of tensors, or constants.
 */
type Kind = 'even' | 'places' | 'number' | 'list'

/** Nodes that keep the numbers of their first input, in another form. The other inputs say which. */
const layouts = new Set([
  'Cast',
  'Expand',
  'Flatten',
  'Identity',
  'Reshape',
  'Slice',
  'Squeeze',
  'Tile',
  'Transpose',
  'Unsqueeze',
])
const sums = new Set(['Add', 'Mul'])
const picks = new Set(['Gather', 'GatherElements', 'GatherND'])
/** Nodes that compute each number from those at the same place. */
const pointwise = new Set([
  ...[
    'Abs',
    'Add',
    'And',
    'Clip',
    'Div',
    'Equal',
    'Greater',
    'GreaterOrEqual',
    'IsInf',
    'IsNaN',
    'Less',
    'LessOrEqual',
    'Max',
    'Min',
  ],
  ...['Mul', 'Neg', 'Not', 'Or', 'Pow', 'Sub', 'Where', 'Xor'],
])

/** Constants of more numbers are lists, also where all are equal. */
const comparedNumbers = 64

export function isEvenMask(view: GraphView, mask: string): boolean {
  return new MaskReader(view).kindOf(mask) === 'even'
}

/** Reads the values that masks are made of, each once. */
export class MaskReader {
  readonly #view: GraphView
  readonly #kinds = new Map<string, Kind | undefined>()

  constructor(view: GraphView) {
    this.#view = view
  }

  /** Returns undefined for a value of another origin. */
  kindOf(value: string): Kind | undefined {
    if (!this.#kinds.has(value)) this.#kinds.set(value, this.#read(value))
    return this.#kinds.get(value)
  }

  #read(value: string): Kind | undefined {
    if (value === '') return 'number' // an input that is left out
    const lengths = this.#view.lengths(value)
    if (lengths !== undefined) return this.#isOneNumber(value, lengths) ? 'number' : 'list'
    const node = this.#view.maker(value)
    if (node !== undefined) return node.domain === '' ? this.#readNode(node) : undefined
    return value === 'attention_mask' ? 'even' : undefined
  }

  #readNode(node: GraphNode): Kind | undefined {
    const { operator, inputs } = node
    if (operator === 'Shape' || operator === 'Size') return 'list'
    const kinds = inputs.map((input) => this.kindOf(input))
    const [first, second] = kinds
    const areLengths = (some: typeof kinds) => some.every((kind) => kind === 'number' || kind === 'list')
    if (operator === 'ConstantOfShape') return areLengths(kinds) ? 'number' : undefined
    if (operator === 'Range') return areLengths(kinds) ? 'places' : undefined
    if (operator === 'Concat') return areLengths(kinds) ? 'list' : onlyOf(kinds, 'places')
    if (layouts.has(operator)) return areLengths(kinds.slice(1)) ? first : undefined
    if (picks.has(operator)) return second === undefined || second === 'even' ? undefined : first
    if (!pointwise.has(operator)) return undefined
    if (operator === 'GreaterOrEqual' && first === 'places') return this.#isCountAbove(node) ? 'number' : undefined
    return joined(kinds, sums.has(operator))
  }

  #isOneNumber(value: string, lengths: readonly number[]): boolean {
    const count = lengths.reduce((product, each) => product * each, 1)
    if (count === 1 || count > comparedNumbers) return count === 1
    const numbers = this.#view.numbers(value)
    return numbers?.every((number) => number === numbers[0]) === true
  }

  /** Tells whether a count upward from 0 is compared with a number that it never falls below. */
  #isCountAbove({ inputs: [count = '', limit = ''] }: GraphNode): boolean {
    const range = this.#view.maker(this.#source(count), 'Range')
    const [start = '', , step = ''] = range?.inputs ?? []
    const [first, each] = [start, step].map((input) => this.#view.numbers(this.#source(input))?.[0])
    const isUpward = first === 0 && each !== undefined && each > 0
    return isUpward && this.#view.numbers(limit)?.every((number) => number <= 0) === true
  }

  /** Follows a value to the one that it has the numbers of. */
  #source(value: string): string {
    const node = this.#view.maker(value)
    return node !== undefined && layouts.has(node.operator) ? this.#source(node.inputs[0] ?? '') : value
  }
}

function onlyOf(kinds: readonly (Kind | undefined)[], wanted: Kind): Kind | undefined {
  return kinds.every((kind) => kind === wanted) ? wanted : undefined
}

/** Returns the kind of an elementwise result by the kinds of its inputs. */
function joined(kinds: readonly (Kind | undefined)[], isSum: boolean): Kind | undefined {
  const others = new Set(kinds.filter((kind) => kind !== 'number'))
  const [kind = 'number'] = others
  if (others.has(undefined)) return undefined
  if (others.has('places')) return isSum && !others.has('even') ? 'places' : undefined
  return others.size <= 1 ? kind : undefined
}

/**
 * Determines whether an attention mask depends only on which tokens are padding, not on the tokens' ids or positions.
 * It follows the nodes that make the mask; unknown nodes count as uneven. Pure.
 */
import type { GraphView } from '../session/graph-view.ts'
import type { GraphNode } from '../session/read-graph.ts'

/**
 * `even`: derived from the attention mask element by element. `places`: positions 0, 1, 2 ... with offsets. `number`:
 * the same number everywhere. `list`: lengths of tensors, or constants.
 */
type Kind = 'even' | 'places' | 'number' | 'list'

/** Nodes that only change the form of their first input. Their other inputs describe the form. */
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
/** Elementwise nodes. */
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

/** Largest constant, in numbers, that is checked for being the same number everywhere. Larger ones count as lists. */
const comparedNumbers = 64

export function isEvenMask(view: GraphView, mask: string): boolean {
  return new MaskReader(view).kindOf(mask) === 'even'
}

/** Classifies the values that masks are made of, each once. */
export class MaskReader {
  readonly #view: GraphView
  readonly #kinds = new Map<string, Kind | undefined>()

  constructor(view: GraphView) {
    this.#view = view
  }

  /** Returns the kind of a value; undefined for other origins. */
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

  /** Returns whether the node compares a count upward from 0 with a limit of 0 or less. */
  #isCountAbove({ inputs: [count = '', limit = ''] }: GraphNode): boolean {
    const range = this.#view.maker(this.#source(count), 'Range')
    const [start = '', , step = ''] = range?.inputs ?? []
    const [first, each] = [start, step].map((input) => this.#view.numbers(this.#source(input))?.[0])
    const isUpward = first === 0 && each !== undefined && each > 0
    return isUpward && this.#view.numbers(limit)?.every((number) => number <= 0) === true
  }

  /** Returns the value of which this one is only another form. */
  #source(value: string): string {
    const node = this.#view.maker(value)
    return node !== undefined && layouts.has(node.operator) ? this.#source(node.inputs[0] ?? '') : value
  }
}

function onlyOf(kinds: readonly (Kind | undefined)[], wanted: Kind): Kind | undefined {
  return kinds.every((kind) => kind === wanted) ? wanted : undefined
}

/** Returns the kind of an elementwise result from the kinds of its inputs. */
function joined(kinds: readonly (Kind | undefined)[], isSum: boolean): Kind | undefined {
  const others = new Set(kinds.filter((kind) => kind !== 'number'))
  const [kind = 'number'] = others
  if (others.has(undefined)) return undefined
  if (others.has('places')) return isSum && !others.has('even') ? 'places' : undefined
  return others.size <= 1 ? kind : undefined
}

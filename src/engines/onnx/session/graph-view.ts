import {
  attributeBytes,
  attributeTensor,
  type GraphNode,
  type OnnxGraph,
  tensorElement,
  tensorLengths,
  tensorNumbers,
} from './read-graph.ts'

/** Chains of constants and copies are short. */
const maximumDepth = 12

/** Looks up in a graph which node makes a value, who reads it, and which values are constants. */
export class GraphView {
  readonly graph: OnnxGraph
  readonly #makers = new Map<string, GraphNode>()
  readonly #readers = new Map<string, GraphNode[]>()

  constructor(graph: OnnxGraph) {
    this.graph = graph
    for (const node of graph.nodes) {
      for (const output of node.outputs) this.#makers.set(output, node)
      for (const input of new Set(node.inputs)) this.#readers.set(input, [...this.readers(input), node])
    }
  }

  /** Returns the node that makes a value, if it is of that operator. */
  maker(value: string, operator?: string): GraphNode | undefined {
    const node = this.#makers.get(value)
    return operator === undefined || node?.operator === operator ? node : undefined
  }

  readers(value: string): readonly GraphNode[] {
    return this.#readers.get(value) ?? []
  }

  /** Returns the numbers of a constant; undefined if the value is none. */
  numbers(value: string): readonly number[] | undefined {
    const tensor = this.#tensor(value)
    return tensor === undefined ? undefined : tensorNumbers(tensor)
  }

  /** Returns the lengths of a constant or weight; undefined if the value is none. */
  lengths(value: string): readonly number[] | undefined {
    const tensor = this.#tensor(value)
    return tensor === undefined ? undefined : tensorLengths(tensor)
  }

  /** Returns the type of a constant's or weight's numbers, as in ONNX's `TensorProto.DataType`. */
  element(value: string): number | undefined {
    const tensor = this.#tensor(value)
    return tensor === undefined ? undefined : tensorElement(tensor)
  }

  /** Tells whether two values are always the same: one value, or made by equal nodes of the same values. */
  isSame(one: string, other: string, depth = 0): boolean {
    if (one === other) return true
    const [first, second] = [this.maker(one), this.maker(other)]
    if (first === undefined || second === undefined || depth > maximumDepth) return false
    return (
      first.operator === second.operator &&
      first.domain === second.domain &&
      first.inputs.length === second.inputs.length &&
      first.outputs.indexOf(one) === second.outputs.indexOf(other) &&
      Buffer.compare(attributeBytes(first), attributeBytes(second)) === 0 &&
      first.inputs.every((input, at) => this.isSame(input, second.inputs[at] ?? '', depth + 1))
    )
  }

  #tensor(value: string): Uint8Array | undefined {
    const weight = this.graph.weights.get(value)
    if (weight !== undefined) return weight
    const node = this.maker(value)
    if (node?.operator === 'Constant') return attributeTensor(node)
    return node?.operator === 'Identity' ? this.#tensor(node.inputs[0] ?? '') : undefined
  }
}

import {
  attributeBytes,
  attributeTensor,
  type GraphNode,
  type OnnxGraph,
  tensorElement,
  tensorLengths,
  tensorNumbers,
} from './read-graph.ts'

/** Longest chain of nodes that is followed. Chains of constants and copies are short. */
const maximumDepth = 12

/** Index of a graph: the node that makes a value, the nodes that read it, and the constants. */
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

  /** Returns the node that makes a value if it has that operator. */
  maker(value: string, operator?: string): GraphNode | undefined {
    const node = this.#makers.get(value)
    return operator === undefined || node?.operator === operator ? node : undefined
  }

  readers(value: string): readonly GraphNode[] {
    return this.#readers.get(value) ?? []
  }

  /** Returns the numbers of a constant; undefined for other values. */
  numbers(value: string): readonly number[] | undefined {
    const tensor = this.#tensor(value)
    return tensor === undefined ? undefined : tensorNumbers(tensor)
  }

  /** Returns the shape of a constant or weight; undefined for other values. */
  lengths(value: string): readonly number[] | undefined {
    const tensor = this.#tensor(value)
    return tensor === undefined ? undefined : tensorLengths(tensor)
  }

  /** Returns the type of a constant's or weight's numbers, as in ONNX's `TensorProto.DataType`. */
  element(value: string): number | undefined {
    const tensor = this.#tensor(value)
    return tensor === undefined ? undefined : tensorElement(tensor)
  }

  /** Returns whether two values are always the same: the same name, or equal nodes of the same inputs. */
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

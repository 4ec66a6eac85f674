/** The structure of an ONNX model, read from the content of its file. Weights are skipped. */
import { readFields, readNumbers } from './protobuf.ts'
import { elementNumbers } from './write-graph.ts'

/** Input or output of a graph. */
export interface GraphValue {
  readonly name: string
  /** Undefined for other element types. */
  readonly type: keyof typeof elementNumbers | undefined
  /** Number of dimensions; undefined if the file does not declare the shape. */
  readonly rank: number | undefined
}

export interface GraphNode {
  /** Index of the node's tag in the content. */
  readonly at: number
  readonly content: Uint8Array
  readonly operator: string
  /** Operator set; empty for ONNX's own. */
  readonly domain: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
}

export interface OnnxGraph {
  /** Nodes in file order. */
  readonly nodes: readonly GraphNode[]
  /** Contents of weights, by name. */
  readonly weights: ReadonlyMap<string, Uint8Array>
  /** Descriptions of inputs, by name. */
  readonly inputs: ReadonlyMap<string, Uint8Array>
  readonly outputs: readonly GraphValue[]
  /** Declarations of operator sets; `domains` are their names. */
  readonly operators: readonly Uint8Array[]
  readonly domains: readonly string[]
}

/** Numbers of fields in onnx.proto. */
const inModel = { graph: 7, operators: 8 } as const
const inOperators = { domain: 1 } as const
const inGraph = { node: 1, weight: 5, input: 11, output: 12 } as const
const inNode = { input: 1, output: 2, operator: 4, attribute: 5, domain: 7 } as const
const inAttribute = { name: 1, number: 3, tensor: 5, numbers: 8 } as const
const inValue = { name: 1, type: 2 } as const
const inType = { tensor: 1 } as const
const inTensorType = { element: 1, shape: 2 } as const
const inShape = { dimension: 1 } as const
const inTensor = { length: 1, element: 2, name: 8, raw: 9 } as const

/** Reads a model. Throws if the content is not an ONNX model. */
export function readGraph(content: Uint8Array): OnnxGraph {
  const nodes: GraphNode[] = []
  const weights = new Map<string, Uint8Array>()
  const inputs = new Map<string, Uint8Array>()
  const outputs: GraphValue[] = []
  const operators: Uint8Array[] = []
  for (const { number, start, end } of readFields(content)) {
    if (number === inModel.operators) operators.push(content.subarray(start, end))
    if (number !== inModel.graph) continue
    for (const { number, at, start: begin, end: stop } of readFields(content, start, end)) {
      const part = content.subarray(begin, stop)
      if (number === inGraph.node) nodes.push(readNode(part, at))
      if (number === inGraph.weight) weights.set(textOf(part, inTensor.name), part)
      if (number === inGraph.input) inputs.set(textOf(part, inValue.name), part)
      if (number === inGraph.output) outputs.push(readValue(part))
    }
  }
  const domains = operators.map((declared) => textOf(declared, inOperators.domain))
  return { nodes, weights, inputs, outputs, operators, domains }
}

/** Reads each field once, since an encoder's hundreds of nodes are read at each load. */
function readNode(content: Uint8Array, at: number): GraphNode {
  const node = { at, content, operator: '', domain: '', inputs: [] as string[], outputs: [] as string[] }
  for (const { number, start, end } of readFields(content)) {
    if (number === inNode.attribute) continue
    const text = decode(content.subarray(start, end))
    if (number === inNode.input) node.inputs.push(text)
    else if (number === inNode.output) node.outputs.push(text)
    else if (number === inNode.operator) node.operator = text
    else if (number === inNode.domain) node.domain = text
  }
  return node
}

/** Returns an attribute that is an integer or a list of integers; an empty list if the node lacks it. */
export function attributeNumbers({ content }: GraphNode, name: string): readonly number[] {
  const attribute = attributeOf(content, name)
  if (attribute === undefined) return []
  return [...numbersOf(attribute, inAttribute.number), ...numbersOf(attribute, inAttribute.numbers)]
}

/** Returns the tensor of a constant. */
export function attributeTensor({ content }: GraphNode): Uint8Array | undefined {
  const attribute = attributeOf(content, 'value')
  return attribute === undefined ? undefined : partsOf(attribute, inAttribute.tensor)[0]
}

/** Returns the attributes of a node for comparison with another node's. */
export function attributeBytes({ content }: GraphNode): Uint8Array {
  return Buffer.concat(partsOf(content, inNode.attribute))
}

function attributeOf(content: Uint8Array, name: string): Uint8Array | undefined {
  return partsOf(content, inNode.attribute).find((attribute) => textOf(attribute, inAttribute.name) === name)
}

/** Returns the shape of a tensor. */
export function tensorLengths(tensor: Uint8Array): readonly number[] {
  return numbersOf(tensor, inTensor.length)
}

/** Returns the numbers of a tensor; undefined for other types, or an encoding that exporters do not use. */
export function tensorNumbers(tensor: Uint8Array): readonly number[] | undefined {
  const element = tensorElement(tensor)
  const [raw] = partsOf(tensor, inTensor.raw)
  if (raw === undefined) return undefined
  const { buffer } = raw.slice() // begins at a multiple of 8
  if (element === elementNumbers.float32) return [...new Float32Array(buffer)]
  if (element === elementNumbers.float16) return [...new Float16Array(buffer)]
  if (element === elementNumbers.int64) return [...new BigInt64Array(buffer)].map(Number)
  return undefined
}

/** Returns the type of a tensor's numbers, as in ONNX's `TensorProto.DataType`. */
export function tensorElement(tensor: Uint8Array): number | undefined {
  return numbersOf(tensor, inTensor.element)[0]
}

function readValue(value: Uint8Array): GraphValue {
  const [tensor] = partsOf(value, inValue.type).flatMap((type) => partsOf(type, inType.tensor))
  const [shape] = tensor === undefined ? [] : partsOf(tensor, inTensorType.shape)
  const [element] = tensor === undefined ? [] : numbersOf(tensor, inTensorType.element)
  const types = Object.keys(elementNumbers) as (keyof typeof elementNumbers)[]
  return {
    name: textOf(value, inValue.name),
    type: types.find((type) => elementNumbers[type] === element),
    rank: shape === undefined ? undefined : partsOf(shape, inShape.dimension).length,
  }
}

/** Returns the contents of all fields with one number, without copying them. */
function partsOf(bytes: Uint8Array, wanted: number): Uint8Array[] {
  const parts: Uint8Array[] = []
  for (const { number, start, end } of readFields(bytes)) if (number === wanted) parts.push(bytes.subarray(start, end))
  return parts
}

/** Returns the integers of all fields with one number, packed or not. */
function numbersOf(bytes: Uint8Array, wanted: number): number[] {
  const numbers: number[] = []
  for (const { number, value, start, end } of readFields(bytes)) {
    if (number !== wanted) continue
    if (start === end) numbers.push(value)
    else numbers.push(...readNumbers(bytes, start, end))
  }
  return numbers
}

function textOf(bytes: Uint8Array, wanted: number): string {
  const [text] = partsOf(bytes, wanted)
  return text === undefined ? '' : decode(text)
}

const decode = (text: Uint8Array) => Buffer.from(text.buffer, text.byteOffset, text.length).toString()

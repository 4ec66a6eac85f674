/** The structure of an ONNX model, read from the content of its file. Weights are passed over. */
import { readFields } from './protobuf.ts'
import { elementNumbers } from './write-graph.ts'

/** Input or output of a graph. */
export interface GraphValue {
  readonly name: string
  /** Undefined where its numbers are of another type. */
  readonly type: keyof typeof elementNumbers | undefined
  /** Dimensions of its shape; undefined where the file does not say. */
  readonly rank: number | undefined
}

/** Numbers of fields in onnx.proto. */
const inModel = { graph: 7 } as const
const inGraph = { output: 12 } as const
const inValue = { name: 1, type: 2 } as const
const inType = { tensor: 1 } as const
const inTensor = { element: 1, shape: 2 } as const
const inShape = { dimension: 1 } as const

/** Reads the outputs of a model. Throws where the content is none. */
export function readOutputs(content: Uint8Array): GraphValue[] {
  return partsOf(content, inModel.graph).flatMap((graph) => partsOf(graph, inGraph.output).map(readValue))
}

function readValue(value: Uint8Array): GraphValue {
  const [name = new Uint8Array()] = partsOf(value, inValue.name)
  const [tensor] = partsOf(value, inValue.type).flatMap((type) => partsOf(type, inType.tensor))
  const [shape] = tensor === undefined ? [] : partsOf(tensor, inTensor.shape)
  return {
    name: new TextDecoder().decode(name),
    type: tensor === undefined ? undefined : elementType(tensor),
    rank: shape === undefined ? undefined : partsOf(shape, inShape.dimension).length,
  }
}

function elementType(tensor: Uint8Array): GraphValue['type'] {
  const [field] = [...readFields(tensor)].filter(({ number }) => number === inTensor.element)
  const types = Object.keys(elementNumbers) as (keyof typeof elementNumbers)[]
  return types.find((type) => elementNumbers[type] === field?.value)
}

/** Contents of the fields of one number, without copying them. */
function partsOf(bytes: Uint8Array, wanted: number): Uint8Array[] {
  const parts: Uint8Array[] = []
  for (const { number, start, end } of readFields(bytes)) if (number === wanted) parts.push(bytes.subarray(start, end))
  return parts
}

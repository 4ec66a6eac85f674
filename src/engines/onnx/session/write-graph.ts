/** Parts of ONNX graphs as protobuf messages. */
import { message, type NewField } from './protobuf.ts'

/** Element types by their numbers in ONNX's `TensorProto.DataType`. */
export const elementNumbers = { float32: 1, int32: 6, int64: 7, bool: 9, float16: 10 } as const

export interface NewNode {
  readonly operator: string
  /** Operator set. Defaults to ONNX's own. */
  readonly domain?: string
  readonly inputs: readonly string[]
  readonly output: string
  /** Attributes that are integers or lists of integers. */
  readonly attributes?: Readonly<Record<string, number | readonly number[]>>
}

/** Types of attributes, by their numbers in `AttributeProto.AttributeType`. */
const attributeTypes = { wholeNumber: 2, wholeNumbers: 7 } as const

export function nodeMessage({ operator, domain = '', inputs, output, attributes = {} }: NewNode): Uint8Array {
  return message(
    ...inputs.map((input): NewField => [1, input]),
    [2, output],
    [4, operator],
    ...Object.entries(attributes).map(([name, value]): NewField => [5, attributeMessage(name, value)]),
    [7, domain],
  )
}

function attributeMessage(name: string, value: number | readonly number[]): Uint8Array {
  if (typeof value === 'number') return message([1, name], [3, value], [20, attributeTypes.wholeNumber])
  return message([1, name], ...value.map((each): NewField => [8, each]), [20, attributeTypes.wholeNumbers])
}

/** Describes an input or output of a graph. An undefined length accepts any. */
export function valueMessage(
  name: string,
  type: keyof typeof elementNumbers,
  shape: readonly (number | undefined)[],
): Uint8Array {
  const lengths = shape.map((length): NewField => [1, length === undefined ? message() : message([1, length])])
  return message([1, name], [2, message([1, message([1, elementNumbers[type]], [2, message(...lengths)])])])
}

/** Makes a constant tensor of single-precision numbers. */
export function floatsMessage(name: string, shape: readonly number[], values: Float32Array): Uint8Array {
  const lengths = shape.map((length): NewField => [1, length])
  return message(...lengths, [2, elementNumbers.float32], [8, name], [9, new Uint8Array(values.slice().buffer)])
}

/** Makes a constant list of integers. */
export function numbersMessage(name: string, values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(BigInt64Array.from(values, BigInt).buffer)
  return message([1, values.length], [2, elementNumbers.int64], [8, name], [9, bytes])
}

/** Small graphs that show whether a provider computes, as ONNX files of a few hundred bytes. */

export interface ProbeGraph {
  /** Content of an ONNX file with inputs `a` and `b` and output `y`, all of single-precision numbers. */
  readonly content: Uint8Array
  /** Shape of both inputs. */
  readonly shape: readonly number[]
}

/** Field of a protobuf message: a number, or text, bytes and messages by their bytes. */
type Field = readonly [number: number, value: number | string | Uint8Array]

const text = new TextEncoder()

/** Returns the bytes of a protobuf message. Numbers are whole and below 128. */
function message(...fields: readonly Field[]): Uint8Array {
  const parts = fields.flatMap(([number, value]) => {
    if (typeof value === 'number') return [...varint(number << 3), ...varint(value)]
    const bytes = typeof value === 'string' ? text.encode(value) : value
    return [...varint((number << 3) | 2), ...varint(bytes.length), ...bytes]
  })
  return Uint8Array.from(parts)
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]
}

interface Node {
  readonly operator: string
  readonly inputs: readonly string[]
  readonly output: string
  /** Attributes that are lists of whole numbers. */
  readonly lists?: Readonly<Record<string, readonly number[]>>
}

const float = 1
const listOfWholeNumbers = 7

function graph(nodes: readonly Node[], shape: readonly number[]): ProbeGraph {
  const dimensions = message(...shape.map((length): Field => [1, message([1, length])]))
  const value = (name: string) => message([1, name], [2, message([1, message([1, float], [2, dimensions])])])
  const content = message(
    [1, 8], // version of the format
    [
      7,
      message(
        ...nodes.map((node): Field => [1, nodeMessage(node)]),
        [2, 'probe'],
        [11, value('a')],
        [11, value('b')],
        [12, value('y')],
      ),
    ],
    [8, message([1, ''], [2, 13])], // operators of version 13
  )
  return { content, shape }
}

function nodeMessage({ operator, inputs, output, lists = {} }: Node): Uint8Array {
  return message(
    ...inputs.map((input): Field => [1, input]),
    [2, output],
    [4, operator],
    ...Object.entries(lists).map(([name, values]): Field => {
      const whole = values.map((each): Field => [8, each])
      return [5, message([1, name], ...whole, [20, listOfWholeNumbers])]
    }),
  )
}

/** Every encoder of texts has these operators. */
export const matrixGraph = graph(
  [
    { operator: 'MatMul', inputs: ['a', 'b'], output: 'product' },
    { operator: 'Softmax', inputs: ['product'], output: 'y' },
  ],
  [64, 64],
)

/** Models that hear or speak have convolutions, for which the CUDA provider needs cuDNN. */
export const convolutionGraph = graph(
  [{ operator: 'Conv', inputs: ['a', 'b'], output: 'y', lists: { pads: [1, 1, 1, 1] } }],
  [8, 8, 3, 3],
)

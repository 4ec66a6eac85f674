/** Small graphs that show whether a provider computes, as ONNX files of a few hundred bytes. */
import { message, type NewField } from './protobuf.ts'
import { type NewNode, nodeMessage, valueMessage } from './write-graph.ts'

export interface ProbeGraph {
  /** Content of an ONNX file with inputs `a` and `b` and output `y`, all of single-precision numbers. */
  readonly content: Uint8Array
  /** Shape of both inputs. */
  readonly shape: readonly number[]
}

function graph(nodes: readonly NewNode[], shape: readonly number[]): ProbeGraph {
  const value = (name: string) => valueMessage(name, 'float32', shape)
  const content = message(
    [1, 8], // version of the format
    [
      7,
      message(
        ...nodes.map((node): NewField => [1, nodeMessage(node)]),
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

/** Every encoder of texts has these operators. */
export const matrixGraph = graph(
  [
    { operator: 'MatMul', inputs: ['a', 'b'], output: 'product' },
    { operator: 'Softmax', inputs: ['product'], output: 'y' },
  ],
  [64, 64],
)

/** Speech models have convolutions, for which the CUDA provider needs cuDNN. */
export const convolutionGraph = graph(
  [{ operator: 'Conv', inputs: ['a', 'b'], output: 'y', attributes: { pads: [1, 1, 1, 1] } }],
  [8, 8, 3, 3],
)

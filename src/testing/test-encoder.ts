import { message, type NewField } from '../engines/onnx/session/protobuf.ts'
import { elementNumbers, type NewNode, nodeMessage, valueMessage } from '../engines/onnx/session/write-graph.ts'

export interface EncoderPlan {
  /** Element type of the output. */
  readonly type?: 'float32' | 'float16' | 'int64'
  /** Version of the ONNX operators. */
  readonly operators?: number
  /** Number of output dimensions that the file states. */
  readonly rank?: number | undefined
  /** Name of the file beside the graph that holds the weights. */
  readonly weightsFile?: string
  readonly vocabulary?: number
  /** Token whose vector is NaN. */
  readonly brokenToken?: number | undefined
}

const dimensions = 8

/** Returns an ONNX graph that looks up a vector for each token, and the content of its weights file. */
export function testEncoder(plan: EncoderPlan = {}): { content: Uint8Array; weights: Uint8Array | undefined } {
  const { type = 'float32', operators = 17, vocabulary = 12, weightsFile, brokenToken = -1 } = plan
  const rank = 'rank' in plan ? plan.rank : 3
  const vectors = Float32Array.from({ length: vocabulary * dimensions }, (_, at) => Math.sin((at + 1) * 0.7))
  if (brokenToken >= 0) vectors.fill(Number.NaN, brokenToken * dimensions, (brokenToken + 1) * dimensions)
  const weights = new Uint8Array(vectors.buffer)
  const pair = (key: string, value: string) => message([1, key], [2, value])
  const held: readonly NewField[] =
    weightsFile === undefined
      ? [[9, weights]]
      : [
          [13, pair('location', weightsFile)],
          [13, pair('offset', '0')],
          [13, pair('length', `${weights.length}`)],
          [14, 1],
        ]
  const nodes: readonly NewNode[] = [
    { operator: 'Gather', inputs: ['vectors', 'input_ids'], output: 'found' },
    { operator: 'Cast', inputs: ['found'], output: 'last_hidden_state', attributes: { to: elementNumbers[type] } },
  ]
  const graph = message(
    ...nodes.map((node): NewField => [1, nodeMessage(node)]),
    [2, 'encoder'],
    [5, message([1, vocabulary], [1, dimensions], [2, elementNumbers.float32], [8, 'vectors'], ...held)],
    [11, valueMessage('input_ids', 'int64', [undefined, undefined])],
    [12, outputMessage(type, rank)],
  )
  const content = message([1, 8], [7, graph], [8, message([1, ''], [2, operators])])
  return { content, weights: weightsFile === undefined ? undefined : weights }
}

function outputMessage(type: keyof typeof elementNumbers, rank: number | undefined): Uint8Array {
  if (rank !== undefined) return valueMessage('last_hidden_state', type, Array(rank).fill(undefined))
  return message([1, 'last_hidden_state'], [2, message([1, message([1, elementNumbers[type]])])])
}

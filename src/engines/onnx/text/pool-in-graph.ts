/**
 * Pooling inside the graph: nodes, appended to a model's file at load, that pool a text's token vectors into one or
 * pick the scores of two answers. One row per text is then copied back instead of one per token. Pure.
 */
import type { TextModelSettings } from '../../../core/text-model-settings.ts'
import type { GraphEdit } from '../session/graph-edit.ts'
import { message, type NewField } from '../session/protobuf.ts'
import type { GraphValue } from '../session/read-graph.ts'
import { elementNumbers, type NewNode, nodeMessage, numbersMessage, valueMessage } from '../session/write-graph.ts'
import { added } from './added-names.ts'
import type { AnswerIds } from './scores.ts'

export interface PoolWish extends Pick<TextModelSettings, 'output' | 'pooling'> {
  readonly answerIds: AnswerIds | undefined
}

interface Addition {
  readonly nodes: readonly NewNode[]
  /** A field of the graph that describes the input. */
  readonly input: Uint8Array
  readonly constant?: Uint8Array
}

/** Returns the edit that adds the output. Undefined if the graph already pools or does not describe its output. */
export function poolInGraph(outputs: readonly GraphValue[], wish: PoolWish): GraphEdit | undefined {
  const output = outputs.find(({ name }) => wish.output === undefined || name === wish.output)
  const isFloat = output?.type === 'float32' || output?.type === 'float16'
  if (output === undefined || !isFloat || output.rank !== 3) return undefined
  const addition = additionFor(output, wish)
  if (addition === undefined) return undefined
  const { nodes, input, constant } = addition
  const graph = message(
    ...nodes.map((node): NewField => [1, nodeMessage(node)]),
    ...(constant === undefined ? [] : [[5, constant] as const]),
    [11, input],
    [12, valueMessage(added.pooled, 'float32', [undefined, undefined])],
  )
  return { removed: [], appended: message([7, graph]) }
}

function additionFor(output: GraphValue, { pooling, answerIds }: PoolWish): Addition | undefined {
  if (answerIds !== undefined) return pickAnswers(output.name, answerIds)
  if (pooling === 'none') return undefined
  return pooling === 'mean' ? addUp(output) : pickTokens(output.name)
}

/** Adds the sum over a text's tokens, in single precision. The reader divides it by the text's length. */
function addUp({ name, type }: GraphValue): Addition {
  const isHalf = type === 'float16'
  const single = isHalf ? 'inferd_single' : name
  return {
    nodes: [
      ...(isHalf ? [toSingle(name, single)] : []),
      { operator: 'MatMul', inputs: [added.ownTokens, single], output: 'inferd_sums' },
      { operator: 'Reshape', inputs: ['inferd_sums', 'inferd_shape'], output: added.pooled },
    ],
    input: valueMessage(added.ownTokens, 'float32', [undefined, 1, undefined]),
    constant: shapeOfSums,
  }
}

/** Shape that keeps the first dimension and flattens the others. */
const shapeOfSums = numbersMessage('inferd_shape', [0, -1])

function pickTokens(name: string): Addition {
  return {
    nodes: [...pickNodes(name), toSingle('inferd_picked', added.pooled)],
    input: tokenIndexInput,
  }
}

/** Adds the scores of "yes" and "no" as the next token. */
function pickAnswers(name: string, { yes, no }: AnswerIds): Addition {
  return {
    nodes: [
      ...pickNodes(name),
      {
        operator: 'Gather',
        inputs: ['inferd_picked', 'inferd_answers'],
        output: 'inferd_pair',
        attributes: { axis: 1 },
      },
      toSingle('inferd_pair', added.pooled),
    ],
    input: tokenIndexInput,
    constant: numbersMessage('inferd_answers', [yes, no]),
  }
}

const tokenIndexInput = valueMessage(added.tokenIndex, 'int64', [undefined])

function pickNodes(name: string): NewNode[] {
  return [
    { operator: 'Flatten', inputs: [name], output: 'inferd_tokens', attributes: { axis: 2 } },
    {
      operator: 'Gather',
      inputs: ['inferd_tokens', added.tokenIndex],
      output: 'inferd_picked',
      attributes: { axis: 0 },
    },
  ]
}

function toSingle(input: string, output: string): NewNode {
  return { operator: 'Cast', inputs: [input], output, attributes: { to: elementNumbers.float32 } }
}

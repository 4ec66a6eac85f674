/** Models that count through ASCII, with draft heads whose proposals are right by design. */

import { chatTemplates } from './chat-templates.ts'
import { plain } from './layer-parts.ts'
import type { ModelPlan } from './model-file.ts'
import { randomModel } from './random-model.ts'
import { RandomWords } from './random-words.ts'
import { proportionedShape } from './sized-shape.ts'
import type { TensorPlan } from './tensor.ts'
import { tinyVocabulary } from './tiny-vocabulary.ts'

export interface CountingModelOptions {
  readonly architecture: 'deepseek2' | 'qwen35' | 'qwen35moe'
  /**
   * Input of the head's proposals. `token`: the token before, so that it can propose any number of tokens. `state`: the
   * model's state before that token, so that only the first proposal is right, and only with the state of the right
   * position.
   */
  readonly head: 'none' | 'token' | 'state'
  /** Returns whether the head proposes a wrong token behind this one. */
  readonly isWrongBehind?: (token: number) => boolean
  /** True if the layers have an effect: the next token then also depends on all earlier ones. */
  readonly isContextual?: boolean
  /** Part of a model that is split into two files: the one without the head, or the head's. */
  readonly part?: 'trunk' | 'head'
  readonly width?: number
  readonly layers?: number
}

/** Scale of the output: small enough that other tokens have a chance too, which shows the layers' effect. */
const sureness = 0.07
const [first, count] = [32, 95]

/** Returns the next printable character in ASCII order; any other token also leads to one. */
export function nextToken(token: number): number {
  return first + ((token + count - first + 1) % count)
}

export function countingModel(options: CountingModelOptions): ModelPlan {
  const {
    architecture,
    head,
    isWrongBehind = () => false,
    isContextual = false,
    part,
    width = 128,
    layers = 4,
  } = options
  const vocabulary = tinyVocabulary({ output: 'ascii', endBias: -1000 })
  const draftHeads = head === 'none' ? 0 : 1
  const shape = proportionedShape('counting', width, layers, { feedForward: width, contextTokens: 4096, draftHeads })
  const plan = randomModel({ architecture, shape, vocabulary, chatTemplate: chatTemplates.chatml, seed: 1 })

  const embeddings = numbers(vocabulary.size * width)
  const headBlock = `blk.${layers}.`
  const silent = /\.(attn_output|ssm_out|ffn_down\w*)\.weight$/
  const isKept = ({ name }: TensorPlan) =>
    part === undefined || name.startsWith(headBlock) === (part === 'head') || !name.startsWith('blk.')
  const fixed = [
    given('token_embd.weight', width, embeddings),
    given(
      'output.weight',
      width,
      followers(embeddings, width, nextToken).map((weight) => weight * sureness),
    ),
    ...(head === 'none' ? [] : [given(`${headBlock}nextn.eh_proj.weight`, 2 * width, selector(head, width))]),
    ...(head === 'token'
      ? [given(`${headBlock}nextn.embed_tokens.weight`, width, without(embeddings, width, isWrongBehind))]
      : []),
    ...(head === 'state'
      ? [
          given(
            `${headBlock}nextn.shared_head_head.weight`,
            width,
            followers(embeddings, width, (x) => nextToken(nextToken(x))),
          ),
        ]
      : []),
  ]
  const names = new Set(fixed.map(({ name }) => name))
  const tensors = plan.tensors
    .filter(({ name }) => !names.has(name))
    .map((tensor) => {
      const isSilent = silent.test(tensor.name) && !(isContextual && !tensor.name.startsWith(headBlock))
      return isSilent ? plain(tensor.name, tensor.dimensions, 0) : tensor
    })
  return { ...plan, tensors: [...fixed, ...tensors].filter(isKept) }
}

function given(name: string, rowLength: number, values: Float32Array<ArrayBuffer>): TensorPlan {
  const dimensions = [rowLength, values.length / rowLength]
  return { name, dimensions, type: 'f32', fill: { kind: 'values', values } }
}

/** Returns embeddings in random directions. */
function numbers(count: number): Float32Array<ArrayBuffer> {
  const words = new Uint32Array(count)
  new RandomWords(2).fill(words, 0)
  return Float32Array.from(words, (word) => word / 2 ** 31 - 1)
}

/** Returns the output's matrix: each token's row is the sum of the embeddings of the tokens that lead to it. */
function followers(
  embeddings: Float32Array,
  width: number,
  follower: (token: number) => number,
): Float32Array<ArrayBuffer> {
  const rows = new Float32Array(embeddings.length)
  for (let token = 0; token < embeddings.length / width; token++) {
    const row = follower(token) * width
    for (let i = 0; i < width; i++) rows[row + i] = (rows[row + i] ?? 0) + (embeddings[token * width + i] ?? 0)
  }
  return rows
}

/** Returns the matrix that selects one half of the head's input: the token's embedding, or the state behind it. */
function selector(head: 'token' | 'state', width: number): Float32Array<ArrayBuffer> {
  const rows = new Float32Array(2 * width * width)
  for (let i = 0; i < width; i++) rows[i * 2 * width + (head === 'token' ? i : width + i)] = 1
  return rows
}

function without(
  embeddings: Float32Array,
  width: number,
  isLeftOut: (token: number) => boolean,
): Float32Array<ArrayBuffer> {
  return Float32Array.from(embeddings, (value, i) => (isLeftOut(Math.floor(i / width)) ? 0 : value))
}

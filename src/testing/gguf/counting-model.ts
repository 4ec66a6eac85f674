/** Models that count through ASCII, with draft heads whose proposals are right by construction. */

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
   * What the head proposes from: `token`, the one before, so that it can propose as many tokens as one likes; `state`, the model's own
   * before that token, so that the first proposal alone is right, and only if it got the state of the right place.
   */
  readonly head: 'none' | 'token' | 'state'
  /** Tokens behind which the head is wrong. */
  readonly isWrongBehind?: (token: number) => boolean
  /** The layers do something: what follows a token also depends on all before. */
  readonly isContextual?: boolean
  /** Of a model in two files: the one without the head, or the head's. */
  readonly part?: 'trunk' | 'head'
  readonly width?: number
  readonly layers?: number
}

/** So that the other tokens have chances too, which tell what the layers do. */
const sureness = 0.07
const [first, count] = [32, 95]

/** The printable character behind this one, in the order of ASCII; each other token leads to one of them. */
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

/** Embeddings that point in directions of their own. */
function numbers(count: number): Float32Array<ArrayBuffer> {
  const words = new Uint32Array(count)
  new RandomWords(2).fill(words, 0)
  return Float32Array.from(words, (word) => word / 2 ** 31 - 1)
}

/** The output's matrix: the row of a token is the sum of the embeddings of those that lead to it. */
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

/** Of its input, the token's embedding in front of a state, the head takes one half. */
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

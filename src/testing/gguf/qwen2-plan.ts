import type { ModelPlan } from './model-file.ts'
import { type TensorPlan, tensorElements } from './tensor.ts'
import type { GgufMetadata, GgufValue, TensorType } from './value.ts'

/** Tokenizer metadata (`tokenizer.*` keys) and what the model has to know about the tokens. */
export interface Vocabulary {
  readonly metadata: GgufMetadata
  readonly size: number
  /** Added to the logit of single tokens; a strongly negative bias keeps a token from ever being chosen. */
  readonly outputBias: ReadonlyMap<number, number>
}

export interface Qwen2Shape {
  readonly name: string
  readonly layers: number
  readonly width: number
  readonly feedForward: number
  readonly heads: number
  readonly keyValueHeads: number
  readonly contextTokens: number
}

export interface Qwen2Options {
  readonly shape: Qwen2Shape
  readonly vocabulary: Vocabulary
  /** Jinja text; absent: the file names no template. */
  readonly chatTemplate: string | undefined
  readonly seed: number
}

/** Deviation of the weights at this model width; keeps the logits of a random model within a few units. */
const weightDeviation = 0.02

/**
 * A random model in the qwen2 layout with Q8_0 weights and tied input and output embeddings. Its text is noise, its cost
 * per token is that of a trained model of the same shape.
 */
export function qwen2Plan({ shape, vocabulary, chatTemplate, seed }: Qwen2Options): ModelPlan {
  const tensors = qwen2Tensors(shape, vocabulary)
  const parameters = tensors.reduce((sum, tensor) => sum + tensorElements(tensor), 0)
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', { type: 'string', value: 'qwen2' }],
    ['general.name', { type: 'string', value: shape.name }],
    ['general.description', { type: 'string', value: `Random weights, ${parameters} parameters, seed ${seed}` }],
    ['general.file_type', uint32(7)],
    ['general.quantization_version', uint32(2)],
    ['qwen2.block_count', uint32(shape.layers)],
    ['qwen2.context_length', uint32(shape.contextTokens)],
    ['qwen2.embedding_length', uint32(shape.width)],
    ['qwen2.feed_forward_length', uint32(shape.feedForward)],
    ['qwen2.attention.head_count', uint32(shape.heads)],
    ['qwen2.attention.head_count_kv', uint32(shape.keyValueHeads)],
    ['qwen2.attention.layer_norm_rms_epsilon', { type: 'float32', value: 1e-6 }],
    ['qwen2.rope.freq_base', { type: 'float32', value: 1_000_000 }],
    ...vocabulary.metadata,
  ])
  if (chatTemplate !== undefined) metadata.set('tokenizer.chat_template', { type: 'string', value: chatTemplate })
  return { metadata, tensors, seed }
}

function uint32(value: number): GgufValue {
  return { type: 'uint32', value }
}

function qwen2Tensors(shape: Qwen2Shape, vocabulary: Vocabulary): TensorPlan[] {
  const { width, feedForward } = shape
  const keyValueWidth = (width / shape.heads) * shape.keyValueHeads
  const bias = new Float32Array(vocabulary.size)
  for (const [token, value] of vocabulary.outputBias) bias[token] = value
  const tensors: TensorPlan[] = [
    random('token_embd.weight', width, vocabulary.size),
    constant('output_norm.weight', width, 1),
    { name: 'output.bias', dimensions: [vocabulary.size], type: 'f32', fill: { kind: 'values', values: bias } },
  ]
  for (let layer = 0; layer < shape.layers; layer++) {
    const name = (part: string) => `blk.${layer}.${part}`
    tensors.push(
      constant(name('attn_norm.weight'), width, 1),
      random(name('attn_q.weight'), width, width),
      constant(name('attn_q.bias'), width, 0),
      random(name('attn_k.weight'), width, keyValueWidth),
      constant(name('attn_k.bias'), keyValueWidth, 0),
      random(name('attn_v.weight'), width, keyValueWidth),
      constant(name('attn_v.bias'), keyValueWidth, 0),
      random(name('attn_output.weight'), width, width),
      constant(name('ffn_norm.weight'), width, 1),
      random(name('ffn_gate.weight'), width, feedForward),
      random(name('ffn_up.weight'), width, feedForward),
      random(name('ffn_down.weight'), feedForward, width),
    )
  }
  return tensors
}

function random(name: string, columns: number, rows: number): TensorPlan {
  const type: TensorType = 'q8_0'
  return { name, dimensions: [columns, rows], type, fill: { kind: 'random', deviation: weightDeviation } }
}

function constant(name: string, size: number, value: number): TensorPlan {
  return { name, dimensions: [size], type: 'f32', fill: { kind: 'constant', value } }
}

import {
  type Architecture,
  type ArchitectureRow,
  architectures,
  draftHeadLayer,
  type ModelShape,
} from './architectures.ts'
import { draftHeadParts, matrix, norm } from './layer-parts.ts'
import type { ModelPlan } from './model-file.ts'
import { type TensorPlan, tensorElements } from './tensor.ts'
import type { GgufMetadata, GgufValue, TensorType } from './value.ts'

/** Tokenizer metadata (`tokenizer.*` keys) and the facts about tokens that the model needs. */
export interface Vocabulary {
  readonly metadata: GgufMetadata
  readonly size: number
  /**
   * Bias on the logit of single tokens, if the architecture has biases. A strongly negative one means that the token is
   * never chosen.
   */
  readonly outputBias: ReadonlyMap<number, number>
}

export interface RandomModelOptions {
  readonly architecture: Architecture
  readonly shape: ModelShape
  readonly vocabulary: Vocabulary
  /** Jinja text. Undefined leaves the template out of the file. */
  readonly chatTemplate: string | undefined
  readonly seed: number
  readonly weights?: Exclude<TensorType, 'f32'>
}

/**
 * Returns a random model, by default with Q8_0 weights. Its text is noise; its memory and its cost per token are those
 * of a trained model of the same shape.
 */
export function randomModel(options: RandomModelOptions): ModelPlan {
  const { architecture, shape, vocabulary, chatTemplate, seed, weights = 'q8_0' } = options
  const row: ArchitectureRow = architectures[architecture]
  const { draftHeads = 0 } = shape
  const tensors = [...outerTensors(row, shape, vocabulary), ...layerTensors(row, shape)].map((tensor) =>
    tensor.type === 'q8_0' ? { ...tensor, type: weights } : tensor,
  )
  const parameters = tensors.reduce((sum, tensor) => sum + tensorElements(tensor), 0)
  const keys = {
    block_count: shape.layers + draftHeads,
    ...(draftHeads > 0 && { nextn_predict_layers: draftHeads }),
    context_length: shape.contextTokens,
    embedding_length: shape.width,
    feed_forward_length: shape.feedForward,
    'attention.head_count': shape.heads,
    'attention.head_count_kv': shape.keyValueHeads,
    ...row.keys(shape),
  }
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', { type: 'string', value: architecture }],
    ['general.name', { type: 'string', value: shape.name }],
    ['general.description', { type: 'string', value: `Random weights, ${parameters} parameters, seed ${seed}` }],
    ['general.file_type', { type: 'uint32', value: 7 }],
    ['general.quantization_version', { type: 'uint32', value: 2 }],
    ...Object.entries(keys).map(([key, value]) => [`${architecture}.${key}`, wholeNumbers(value)] as const),
    [`${architecture}.attention.layer_norm_rms_epsilon`, { type: 'float32', value: 1e-6 }],
    [`${architecture}.rope.freq_base`, { type: 'float32', value: 1_000_000 }],
    ...vocabulary.metadata,
  ])
  if (chatTemplate !== undefined) metadata.set('tokenizer.chat_template', { type: 'string', value: chatTemplate })
  return { metadata, tensors, seed }
}

function wholeNumbers(value: number | readonly number[]): GgufValue {
  return typeof value === 'number' ? { type: 'uint32', value } : { type: 'int32s', values: Int32Array.from(value) }
}

function outerTensors(row: ArchitectureRow, { width }: ModelShape, vocabulary: Vocabulary): TensorPlan[] {
  const bias = new Float32Array(vocabulary.size)
  for (const [token, value] of vocabulary.outputBias) bias[token] = value
  const outputBias: TensorPlan = {
    name: 'output.bias',
    dimensions: [vocabulary.size],
    type: 'f32',
    fill: { kind: 'values', values: bias },
  }
  return [
    matrix('token_embd', width, vocabulary.size),
    norm('output_norm', width),
    ...(row.hasOutput === true ? [matrix('output', width, vocabulary.size)] : []),
    ...(row.hasOutputBias === true ? [outputBias] : []),
  ]
}

function layerTensors(row: ArchitectureRow, shape: ModelShape): TensorPlan[] {
  const { layers, draftHeads = 0, width } = shape
  return Array.from({ length: layers + draftHeads }, (_, index) =>
    (index < layers ? row.layer(shape, index) : [...row.layer(shape, draftHeadLayer), ...draftHeadParts(width)]).map(
      (part) => ({ ...part, name: `blk.${index}.${part.name}` }),
    ),
  ).flat()
}

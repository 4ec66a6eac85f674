/** Random projectors that hear: encoders like Whisper's in front of a chat model. */
import { type LayerPart, matrix, norm, plain } from './layer-parts.ts'
import type { ModelPlan } from './model-file.ts'
import { layerNorm, linear } from './projector-kinds.ts'
import type { GgufValue } from './value.ts'

/** Frames of a part of 30 seconds, after the encoder has halved them. */
const partFrames = 1500
const melBins = 80
const shape = { layers: 1, width: 32, feedForward: 64, heads: 2 }

interface HearingRow {
  /** llama.cpp's name of the kind. */
  readonly type: string
  /** Whole numbers of the header in addition to the common ones. */
  readonly keys: Readonly<Record<string, number>>
  readonly outer: (embeddingSize: number) => readonly LayerPart[]
}

/** Frames are stacked. */
function stacked(stackFactor: number): HearingRow {
  return {
    type: 'ultravox',
    keys: { 'projector.stack_factor': stackFactor },
    outer: (embeddingSize) => [
      norm('mm.a.norm_pre', shape.width * stackFactor),
      matrix('mm.a.mlp.1', shape.width * stackFactor, 2 * shape.feedForward),
      norm('mm.a.norm_mid', shape.feedForward),
      matrix('mm.a.mlp.2', shape.feedForward, embeddingSize),
    ],
  }
}

const kinds = {
  /** 30 seconds have 375 entries. */
  ultravox: stacked(4),
  /** llama.cpp counts 187 entries of 30 seconds, and computes 188. */
  miscounted: stacked(8),
  /** Frames are averaged, between marks. 30 seconds have 750 entries. */
  qwen2a: {
    type: 'qwen2a',
    keys: {},
    outer: (embeddingSize) => linear('mm.a.fc', shape.width, embeddingSize),
  },
} satisfies Record<string, HearingRow>

export type HearingKind = keyof typeof kinds

/** Returns a projector that hears. With `seeing`, a projector of the same width, it does what both do. */
export function hearingProjector(kind: HearingKind, embeddingSize: number, seeing?: ModelPlan): ModelPlan {
  const row = kinds[kind]
  const keys = {
    embedding_length: shape.width,
    feed_forward_length: shape.feedForward,
    block_count: shape.layers,
    'attention.head_count': shape.heads,
    num_mel_bins: melBins,
    projection_dim: embeddingSize,
    ...row.keys,
  }
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', { type: 'string', value: 'clip' }],
    ['general.type', { type: 'string', value: 'mmproj' }],
    ['general.name', { type: 'string', value: row.type }],
    ['general.file_type', { type: 'uint32', value: 7 }],
    ...(seeing?.metadata ?? []),
    ['clip.has_audio_encoder', { type: 'bool', value: true }],
    ['clip.use_gelu', { type: 'bool', value: true }],
    ['clip.audio.projector_type', { type: 'string', value: row.type }],
    ...Object.entries(keys).map(([key, value]) => [`clip.audio.${key}`, { type: 'uint32', value }] as const),
    ['clip.audio.attention.layer_norm_epsilon', { type: 'float32', value: 1e-5 }],
  ])
  const seen = metadata.get('clip.projector_type')
  if (seen !== undefined) metadata.set('clip.vision.projector_type', seen)
  metadata.delete('clip.projector_type')
  const layers = Array.from({ length: shape.layers }, (_, index) =>
    layer().map((part) => ({ ...part, name: `a.blk.${index}.${part.name}` })),
  )
  const tensors = [...encoder(), ...row.outer(embeddingSize), ...layers.flat(), ...(seeing?.tensors ?? [])]
  return { metadata, tensors, seed: 3 }
}

function encoder(): LayerPart[] {
  return [
    ...convolution('a.conv1d.1', melBins),
    ...convolution('a.conv1d.2', shape.width),
    numbers('a.position_embd.weight', shape.width, partFrames),
    ...layerNorm('a.post_ln', shape.width),
  ]
}

function convolution(name: string, channels: number): LayerPart[] {
  return [numbers(`${name}.weight`, 3, channels, shape.width), plain(`${name}.bias`, [1, shape.width], 0)]
}

function layer(): LayerPart[] {
  const { width, feedForward } = shape
  return [
    ...layerNorm('ln1', width),
    ...linear('attn_q', width, width),
    matrix('attn_k', width, width),
    ...linear('attn_v', width, width),
    ...linear('attn_out', width, width),
    ...layerNorm('ln2', width),
    ...linear('ffn_up', width, feedForward),
    ...linear('ffn_down', feedForward, width),
  ]
}

/** Returns random weights in full precision, large enough that sounds differ. */
function numbers(name: string, ...dimensions: readonly number[]): LayerPart {
  return { name, dimensions, type: 'f32', fill: { kind: 'random', deviation: 0.3 } }
}

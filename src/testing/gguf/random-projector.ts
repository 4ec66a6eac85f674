import { type LayerPart, matrix, norm, plain } from './layer-parts.ts'
import type { ModelPlan } from './model-file.ts'
import type { GgufValue } from './value.ts'

/** A vision transformer over the square patches of a square picture; each patch becomes an embedding of the chat model. */
export interface ProjectorShape {
  readonly name: string
  readonly layers: number
  readonly width: number
  readonly feedForward: number
  readonly heads: number
  /** Sides in pixels: of the pictures, which are resized to it, and of the patches. */
  readonly imageSize: number
  readonly patchSize: number
  /** Width of the chat model. */
  readonly embeddingSize: number
}

/** A random projector (mmproj), of the kind of Janus-Pro's. What it sees is noise; its costs are those of a trained one of the same shape. */
export function randomProjector(shape: ProjectorShape, seed: number): ModelPlan {
  const keys = {
    image_size: shape.imageSize,
    patch_size: shape.patchSize,
    embedding_length: shape.width,
    feed_forward_length: shape.feedForward,
    block_count: shape.layers,
    'attention.head_count': shape.heads,
    projection_dim: shape.embeddingSize,
  }
  const grey = { type: 'float32s', values: Float32Array.of(0.5, 0.5, 0.5) } as const
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', { type: 'string', value: 'clip' }],
    ['general.type', { type: 'string', value: 'mmproj' }],
    ['general.name', { type: 'string', value: shape.name }],
    ['general.file_type', { type: 'uint32', value: 7 }],
    ['clip.has_vision_encoder', { type: 'bool', value: true }],
    ['clip.projector_type', { type: 'string', value: 'janus_pro' }],
    ['clip.use_gelu', { type: 'bool', value: true }],
    ...Object.entries(keys).map(([key, value]) => [`clip.vision.${key}`, { type: 'uint32', value }] as const),
    ['clip.vision.attention.layer_norm_epsilon', { type: 'float32', value: 1e-6 }],
    ['clip.vision.image_mean', grey],
    ['clip.vision.image_std', grey],
  ])
  const layers = Array.from({ length: shape.layers }, (_, index) =>
    layer(shape).map((part) => ({ ...part, name: `v.blk.${index}.${part.name}` })),
  )
  return { metadata, tensors: [...outerTensors(shape), ...layers.flat()], seed }
}

function outerTensors({ width, imageSize, patchSize, embeddingSize }: ProjectorShape): LayerPart[] {
  return [
    numbers('v.patch_embd.weight', patchSize, patchSize, 3, width),
    plain('v.patch_embd.bias', [width], 0),
    numbers('v.position_embd.weight', width, (imageSize / patchSize) ** 2),
    ...layerNorm('v.post_ln', width),
    ...linear('mm.0', width, embeddingSize),
    ...linear('mm.1', embeddingSize, embeddingSize),
  ]
}

function layer({ width, feedForward }: ProjectorShape): LayerPart[] {
  return [
    ...layerNorm('ln1', width),
    ...linear('attn_q', width, width),
    ...linear('attn_k', width, width),
    ...linear('attn_v', width, width),
    ...linear('attn_out', width, width),
    ...layerNorm('ln2', width),
    ...linear('ffn_up', width, feedForward),
    ...linear('ffn_down', feedForward, width),
  ]
}

function layerNorm(name: string, width: number): LayerPart[] {
  return [norm(name, width), plain(`${name}.bias`, [width], 0)]
}

function linear(name: string, from: number, to: number): LayerPart[] {
  return [matrix(name, from, to), plain(`${name}.bias`, [to], 0)]
}

/** Random weights that llama.cpp wants in full precision. */
function numbers(name: string, ...dimensions: readonly number[]): LayerPart {
  return { name, dimensions, type: 'f32', fill: { kind: 'random', deviation: 0.02 } }
}

import type { LayerPart } from './layer-parts.ts'
import type { ModelPlan } from './model-file.ts'
import {
  layerNorm,
  linear,
  type ProjectorKind,
  type ProjectorRow,
  type ProjectorShape,
  projectorKinds,
} from './projector-kinds.ts'
import type { GgufValue } from './value.ts'

/**
 * Returns a random projector (mmproj). Its embeddings are noise; its costs are those of a trained one of the same
 * shape.
 */
export function randomProjector(shape: ProjectorShape, seed: number, kind: ProjectorKind = 'janus_pro'): ModelPlan {
  const row: ProjectorRow = projectorKinds[kind]
  const keys = {
    image_size: shape.imageSize,
    patch_size: shape.patchSize,
    embedding_length: shape.width,
    feed_forward_length: shape.feedForward,
    block_count: shape.layers,
    'attention.head_count': shape.heads,
    projection_dim: shape.embeddingSize,
    ...row.keys,
  }
  const grey = { type: 'float32s', values: Float32Array.of(0.5, 0.5, 0.5) } as const
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', { type: 'string', value: 'clip' }],
    ['general.type', { type: 'string', value: 'mmproj' }],
    ['general.name', { type: 'string', value: shape.name }],
    ['general.file_type', { type: 'uint32', value: 7 }],
    ['clip.has_vision_encoder', { type: 'bool', value: true }],
    ['clip.projector_type', { type: 'string', value: kind }],
    ['clip.use_gelu', { type: 'bool', value: true }],
    ...Object.entries(keys).map(([key, value]) => [`clip.vision.${key}`, { type: 'uint32', value }] as const),
    ['clip.vision.attention.layer_norm_epsilon', { type: 'float32', value: 1e-6 }],
    ['clip.vision.image_mean', grey],
    ['clip.vision.image_std', grey],
  ])
  const layers = Array.from({ length: shape.layers }, (_, index) =>
    layer(shape).map((part) => ({ ...part, name: `v.blk.${index}.${part.name}` })),
  )
  return { metadata, tensors: [...row.outer(shape), ...layers.flat()], seed }
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

/** Kinds of generated projectors, by llama.cpp's names: header keys, and tensors beside those of the layers. */
import { type LayerPart, matrix, norm, plain } from './layer-parts.ts'

/** A vision transformer over the square patches of a picture. */
export interface ProjectorShape {
  readonly name: string
  readonly layers: number
  readonly width: number
  readonly feedForward: number
  readonly heads: number
  /** Side in pixels of a picture, or of the tiles that it is cut into. `patchSize` is that of a patch. */
  readonly imageSize: number
  readonly patchSize: number
  /** Width of the chat model. */
  readonly embeddingSize: number
}

export interface ProjectorRow {
  /** Whole numbers of the header in addition to the common ones. */
  readonly keys: Readonly<Record<string, number>>
  readonly outer: (shape: ProjectorShape) => readonly LayerPart[]
}

/** Side in patches of the squares that are merged, in all kinds but the first. */
const merged = 2

export const projectorKinds = {
  /** Pictures are resized to one size; each patch becomes an embedding. */
  janus_pro: {
    keys: {},
    outer: (shape) => [
      ...patches(shape),
      places(shape, patchCount(shape)),
      ...layerNorm('v.post_ln', shape.width),
      ...linear('mm.0', shape.width, shape.embeddingSize),
      ...linear('mm.1', shape.embeddingSize, shape.embeddingSize),
    ],
  },
  /** The same, for models in which the entries of a picture attend to each other. */
  gemma3: {
    keys: { 'projector.scale_factor': merged },
    outer: (shape) => [
      ...patches(shape),
      places(shape, patchCount(shape)),
      ...layerNorm('v.post_ln', shape.width),
      norm('mm.soft_emb_norm', shape.width),
      numbers('mm.input_projection.weight', shape.embeddingSize, shape.width),
    ],
  },
  /** Pictures keep their proportions; positions have several dimensions. */
  qwen2vl_merger: {
    keys: {},
    outer: (shape) => {
      const wide = shape.width * merged ** 2
      return [
        patchWeights('v.patch_embd.weight', shape),
        patchWeights('v.patch_embd.weight.1', shape),
        ...layerNorm('v.post_ln', shape.width),
        ...linear('mm.0', wide, wide),
        ...linear('mm.2', wide, shape.embeddingSize),
      ]
    },
  },
  /** Large pictures are cut into tiles, beside an overview; several tiles are encoded in a batch. */
  internvl: {
    keys: { 'projector.scale_factor': merged, preproc_max_tiles: 4 },
    outer: (shape) => {
      const wide = shape.width * merged ** 2
      return [
        ...patches(shape),
        places(shape, patchCount(shape) + 1),
        plain('v.class_embd', [shape.width], 0.1),
        ...layerNorm('mm.model.mlp.0', wide),
        ...linear('mm.model.mlp.1', wide, shape.embeddingSize),
        ...linear('mm.model.mlp.3', shape.embeddingSize, shape.embeddingSize),
      ]
    },
  },
  /** Tiles have marks between them, which the model's vocabulary must contain. */
  idefics3: {
    keys: { 'projector.scale_factor': merged, preproc_image_size: 64 },
    outer: (shape) => [
      ...patches(shape),
      places(shape, patchCount(shape)),
      ...layerNorm('v.post_ln', shape.width),
      matrix('mm.model.fc', shape.width * merged ** 2, shape.embeddingSize),
    ],
  },
} as const satisfies Record<string, ProjectorRow>

export type ProjectorKind = keyof typeof projectorKinds

export function layerNorm(name: string, width: number): LayerPart[] {
  return [norm(name, width), plain(`${name}.bias`, [width], 0)]
}

export function linear(name: string, from: number, to: number): LayerPart[] {
  return [matrix(name, from, to), plain(`${name}.bias`, [to], 0)]
}

function patchCount({ imageSize, patchSize }: ProjectorShape): number {
  return (imageSize / patchSize) ** 2
}

function patches(shape: ProjectorShape): LayerPart[] {
  return [patchWeights('v.patch_embd.weight', shape), plain('v.patch_embd.bias', [shape.width], 0)]
}

function patchWeights(name: string, { patchSize, width }: ProjectorShape): LayerPart {
  return numbers(name, patchSize, patchSize, 3, width)
}

function places({ width }: ProjectorShape, count: number): LayerPart {
  return numbers('v.position_embd.weight', width, count)
}

/** Returns random weights in full precision, which llama.cpp requires here. */
function numbers(name: string, ...dimensions: readonly number[]): LayerPart {
  return { name, dimensions, type: 'f32', fill: { kind: 'random', deviation: 0.02 } }
}

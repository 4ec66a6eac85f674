/** Shapes in the usual proportions, of any size. */
import { type Architecture, type ArchitectureRow, architectures, type ModelShape } from './architectures.ts'
import { chatTemplates } from './chat-templates.ts'
import type { ModelPlan } from './model-file.ts'
import { type RandomModelOptions, randomModel } from './random-model.ts'
import { tensorSizeBytes } from './tensor.ts'
import { tinyVocabulary } from './tiny-vocabulary.ts'
import { align } from './value.ts'

const widths = [128, 256, 512, 1024, 2048]
const usualLayers = 32
/** Layers in a pattern. Whole patterns ensure that no kind of layer is missing. */
const layerStep = 4

export function proportionedShape(
  name: string,
  width: number,
  layers: number,
  more: Partial<ModelShape> = {},
): ModelShape {
  const heads = width / 32
  return {
    name,
    layers,
    width,
    feedForward: 3 * width,
    heads,
    keyValueHeads: Math.max(1, heads / 4),
    headWidth: 64,
    contextTokens: 32_768,
    windowTokens: 128,
    experts: 8,
    expertsUsed: 2,
    expertFeedForward: width,
    latentWidth: 2 * 64,
    queryRank: width / 2,
    ropeWidth: 32,
    stateWidth: 64,
    stateHeads: width / 32,
    stateGroups: width / 64,
    ...more,
  }
}

/** Returns a shape whose layers have about this many bytes, with the usual number of layers for this size. */
export function sizedShape(architecture: Architecture, name: string, bytes: number): ModelShape {
  for (const width of widths) {
    const perLayer = layerBytes(architectures[architecture], proportionedShape(name, width, layerStep)) / layerStep
    const layers = Math.max(1, Math.round(bytes / perLayer / layerStep)) * layerStep
    if (layers <= usualLayers || width === widths.at(-1)) return proportionedShape(name, width, layers)
  }
  throw new Error('there are widths: this is a bug')
}

/** Returns a random model that speaks ChatML, with a small vocabulary. */
export function modelOfShape(
  architecture: Architecture,
  shape: ModelShape,
  { seed = 1, weights }: Partial<Pick<RandomModelOptions, 'seed' | 'weights'>> = {},
): ModelPlan {
  const vocabulary = tinyVocabulary({ output: 'ascii', endBias: -1000 })
  return randomModel({
    architecture,
    shape,
    vocabulary,
    chatTemplate: chatTemplates.chatml,
    seed,
    ...(weights && { weights }),
  })
}

function layerBytes(row: ArchitectureRow, shape: ModelShape): number {
  const parts = Array.from({ length: shape.layers }, (_, index) => row.layer(shape, index)).flat()
  return parts.reduce((sum, part) => sum + align(tensorSizeBytes(part)), 0)
}

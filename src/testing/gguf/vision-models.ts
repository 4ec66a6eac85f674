/** Tiny vision models: one for each way in which llama.cpp shows a picture to a model. */
import type { ModelPlan } from './model-file.ts'
import type { ProjectorKind } from './projector-kinds.ts'
import { randomProjector } from './random-projector.ts'
import { modelOfShape, proportionedShape } from './sized-shape.ts'
import { tinyPlan } from './tiny-gguf.ts'

export interface VisionModel {
  readonly model: ModelPlan
  readonly projector: ModelPlan
}

const width = 128

/** Window of fewer tokens than a picture has entries. */
const windowTokens = 8

const models: Readonly<Record<ProjectorKind, () => ModelPlan>> = {
  janus_pro: () => tinyPlan({}),
  gemma3: () => modelOfShape('gemma3', proportionedShape('tiny-window', width, 6, { windowTokens })),
  qwen2vl_merger: () => multiDimensional(tinyPlan({})),
  internvl: () => tinyPlan({}),
  idefics3: () => tinyPlan({ moreControlTokens: ['\n\n', '<fake_token_around_image>', '<global-img>'] }),
}

/**
 * Returns a model with its projector. A picture, or each of its tiles, has 64 entries with the first kind and 16 with
 * the others.
 */
export function visionModel(kind: ProjectorKind): VisionModel {
  const shape = { layers: 1, width: 32, feedForward: 64, heads: 2, imageSize: 64, patchSize: 8, embeddingSize: width }
  return { model: models[kind](), projector: randomProjector({ name: kind, ...shape }, 2, kind) }
}

/** Returns the plan as a model with positions of several dimensions. */
export function multiDimensional(plan: ModelPlan): ModelPlan {
  const metadata = new Map([...plan.metadata].map(([key, value]) => [key.replace(/^qwen2\./, 'qwen2vl.'), value]))
  metadata.set('general.architecture', { type: 'string', value: 'qwen2vl' })
  metadata.set('qwen2vl.rope.dimension_sections', { type: 'int32s', values: Int32Array.of(4, 6, 6, 0) })
  return { ...plan, metadata }
}

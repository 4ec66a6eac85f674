/** Tiny models that hear. */
import { type HearingKind, hearingProjector } from './hearing-projector.ts'
import { tinyPlan } from './tiny-gguf.ts'
import { multiDimensional, type VisionModel, visionModel } from './vision-models.ts'

const width = 128

const models = {
  ultravox: () => hearing('ultravox'),
  qwen2a: () => hearing('qwen2a'),
  'ultravox-mrope': () => ({ ...hearing('ultravox'), model: multiDimensional(tinyPlan({})) }),
  /** Sees as well. The entries of a picture attend to each other in any order, those of a sound do not. */
  'ultravox-gemma3': () => {
    const { model, projector } = visionModel('gemma3')
    return { model, projector: hearingProjector('ultravox', width, projector) }
  },
} satisfies Record<string, () => VisionModel>

function hearing(kind: HearingKind): VisionModel {
  return { model: tinyPlan({}), projector: hearingProjector(kind, width) }
}

/** Returns a model with its projector. */
export function hearingModel(kind: keyof typeof models): VisionModel {
  return models[kind]()
}

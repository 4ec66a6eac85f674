import { chatTemplates } from './chat-templates.ts'
import { type ModelPlan, modelChunks } from './model-file.ts'
import { randomModel, type Vocabulary } from './random-model.ts'
import { proportionedShape } from './sized-shape.ts'
import { type TinyVocabularyOptions, tinyVocabulary } from './tiny-vocabulary.ts'

export interface TinyGgufOptions extends Partial<TinyVocabularyOptions> {
  readonly seed?: number
  /** Name of a template or, as an object, the Jinja text itself. `none` leaves the template out of the file. */
  readonly chatTemplate?: 'none' | keyof typeof chatTemplates | { readonly jinja: string }
  /** Context length that the file states. */
  readonly contextTokens?: number
  /** Vocabulary instead of the usual one. */
  readonly vocabulary?: Vocabulary
}

/**
 * Returns the bytes of a random model of some 350 kB that llama.cpp loads and runs in milliseconds. By default it
 * speaks ChatML, writes printable ASCII and never ends by itself. The same options give the same bytes.
 */
export function tinyGguf(options: TinyGgufOptions = {}): Uint8Array<ArrayBuffer> {
  return Buffer.concat([...modelChunks(tinyPlan(options))])
}

/** Returns the same model as a plan, for writing it to a file. */
export function tinyPlan(options: TinyGgufOptions): ModelPlan {
  const {
    seed = 1,
    chatTemplate = 'chatml',
    contextTokens = 4096,
    output = 'ascii',
    endBias = -1000,
    vocabulary,
    ...more
  } = options
  const size = { feedForward: 256, heads: 4, keyValueHeads: 2, headWidth: 32, contextTokens }
  return randomModel({
    architecture: 'qwen2',
    shape: proportionedShape('tiny', 128, 2, size),
    vocabulary: vocabulary ?? tinyVocabulary({ ...more, output, endBias }),
    chatTemplate: templateText(chatTemplate),
    seed,
  })
}

function templateText(template: NonNullable<TinyGgufOptions['chatTemplate']>): string | undefined {
  if (typeof template === 'object') return template.jinja
  return template === 'none' ? undefined : chatTemplates[template]
}

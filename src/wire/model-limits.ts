/** Limits and modalities of a model, under the names that clients read them by. */
import { hears, type ModelManifest, type ModelType, sees } from '../core/model.ts'

/** Context of a model, in tokens. Undefined values are unknown. */
export interface ModelContext {
  /** Most tokens of a request's prompt and answer together. */
  readonly usableContext?: number | undefined
  /** Context that the model's file states. */
  readonly statedContext?: number | undefined
}

interface LimitedModel extends ModelContext {
  readonly manifest: Pick<ModelManifest, 'type' | 'upstream' | 'contextLength'>
}

/** Limits in tokens. All are absent if the context is unknown. */
interface LimitFields {
  readonly context_length?: number
  readonly max_model_len?: number
  readonly max_context_length?: number
  readonly max_completion_tokens?: number
}

const answering: readonly ModelType[] = ['chat', 'vision']

/**
 * Returns the model's limits. `context_length` and `max_model_len` are what a request may use, `max_context_length` is
 * the model's own context. An answer may take all that its prompt leaves.
 */
export function limitFields({ manifest, usableContext, statedContext }: LimitedModel): LimitFields {
  const { type, contextLength } = manifest
  if (usableContext === undefined) return {}
  return {
    context_length: usableContext,
    max_model_len: usableContext,
    max_context_length: Math.max(usableContext, statedContext ?? 0, contextLength ?? 0),
    ...(answering.includes(type) && { max_completion_tokens: usableContext }),
  }
}

type Modality = 'text' | 'image' | 'file' | 'audio' | 'embeddings' | 'scores'

const modalities: Readonly<Record<ModelType, readonly [inputs: readonly Modality[], output: Modality]>> = {
  chat: [['text', 'file'], 'text'],
  vision: [['text', 'image', 'file'], 'text'],
  embedding: [['text'], 'embeddings'],
  rerank: [['text'], 'scores'],
  tts: [['text'], 'audio'],
  stt: [['audio'], 'text'],
  image: [['text'], 'image'],
  moderation: [['text'], 'scores'],
}

/** Returns what a model takes and gives, in OpenRouter's fields. */
export function architectureOf(manifest: Pick<ModelManifest, 'type' | 'upstream' | 'capabilities'>) {
  const [inputs, output] = modalities[manifest.type]
  const taken = inputs.filter((modality) => modality !== 'image' || sees(manifest))
  const heard: readonly Modality[] = hears(manifest) ? ['audio'] : []
  return { input_modalities: [...taken, ...heard], output_modalities: [output] }
}

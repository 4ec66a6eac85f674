import type { ModelManifest } from '../core/model.ts'
import type { TextModelSettings } from '../core/text-model-settings.ts'
import type { ManifestToml } from './manifest-schema.ts'

/** Returns the settings of a text model with defaults filled in. */
export function toTextModelSettings(toml: NonNullable<ManifestToml['encoder']>): TextModelSettings {
  const golden = toml.golden ?? []
  return {
    output: toml.output,
    pooling: toml.pooling ?? 'none',
    normalize: toml.normalize ?? true,
    padding: toml.padding ?? 'right',
    padTokenId: toml.pad_token_id ?? 0,
    specialTokens: toml.special_tokens ?? true,
    appendToken: toml.append_token,
    dropToken: toml.drop_token,
    queryPrefix: toml.query_prefix ?? '',
    documentPrefix: toml.document_prefix ?? '',
    pairTemplate: toml.pair_template,
    activation: toml.activation ?? 'sigmoid',
    answerTokens: toml.answer_tokens,
    goldenVectors: golden.flatMap((each) =>
      'text' in each ? [{ text: each.text, inputType: each.input_type, values: each.values }] : [],
    ),
    goldenScores: golden.flatMap((each) => ('score' in each ? [each] : [])),
  }
}

/** Returns the problem with a text model's manifest: missing or superfluous fields. Undefined if none. */
export function textModelProblem({ type, engine, encoder, contextLength, files }: ModelManifest): string | undefined {
  const isTextModel = type === 'embedding' || type === 'rerank'
  if (!isTextModel) return encoder === undefined ? undefined : `"encoder" is for models of type embedding and rerank`
  if (engine !== 'onnx') return undefined
  if (encoder === undefined) return `engine "onnx" needs a table "encoder" for models of type ${type}`
  if (contextLength === undefined) return `engine "onnx" needs "context_length" for models of type ${type}`
  const missing = ['model', 'tokenizer'].find((role) => !files.some((file) => file.role === role))
  if (missing !== undefined) return `engine "onnx" needs a file with role "${missing}" for models of type ${type}`
  if (type === 'embedding' && encoder.goldenScores.length > 0) return 'an embedding model has golden values, not scores'
  if (type === 'rerank' && encoder.goldenVectors.length > 0) return 'a rerank model has golden scores, not values'
  return undefined
}

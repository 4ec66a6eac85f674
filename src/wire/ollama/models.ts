/** Models in Ollama's API. */
import { Type } from '@sinclair/typebox'
import { type ModelManifest, sees, type TemplateFacts, templateCapabilities } from '../../core/model.ts'
import { missing, optionalAny, optionalText } from '../check.ts'

/** Version of Ollama whose API this is. Clients compare it, and some refuse versions below 0.6.4. */
export const ollamaVersionText = '0.30.11'

/** Body of POST /api/show. `name` is the older spelling. */
export const OllamaShowBody = Type.Object({
  model: Type.Optional(Type.String({ description: 'the id of a model; GET /api/tags lists them' })),
  name: optionalText,
  verbose: optionalAny,
})

/** Returns the model that a body names. Programs may send an empty text in the other spelling. Throws ApiError 400. */
export function askedModel({ model, name }: { readonly model?: string; readonly name?: string }): string {
  const asked = [model, name].find((text) => text !== undefined && text !== '')
  if (asked === undefined) throw missing('model')
  return asked
}

/** Part of a model that this API shows */
export interface OllamaModel {
  readonly manifest: ModelManifest
  readonly addedAtMs: number
  /** Total bytes of its files. */
  readonly sizeBytes: number
  /** Digest of 64 hexadecimal digits that changes with the files. */
  readonly digest: string
  readonly architecture: string
  /** True if its file names tokens for filling in the middle. */
  readonly fillsGaps?: boolean | undefined
  /** Facts of the chat template. Absent if unknown. */
  readonly template?: TemplateFacts | undefined
  readonly parameterCount?: number | undefined
  /** llama.cpp's number for the quantization of most weights. */
  readonly fileType?: number | undefined
  /** Longest prompt and answer together that this server takes, in tokens. */
  readonly contextLength?: number | undefined
  readonly embeddingLength?: number | undefined
  readonly blockCount?: number | undefined
  readonly headCount?: number | undefined
  readonly headCountKv?: number | undefined
}

/** Loaded or loading model. */
interface LoadedOllamaModel {
  readonly model: OllamaModel
  readonly usedBytes: number
  /** Used bytes on devices. */
  readonly deviceBytes: number
  /** Milliseconds UTC. */
  readonly expiresAtMs: number
}

const shownTypes: readonly string[] = ['chat', 'vision', 'embedding']

/** Returns whether this API has a path for the model's type. */
export function isShown({ type }: Pick<ModelManifest, 'type'>): boolean {
  return shownTypes.includes(type)
}

/** Returns the answer of GET /api/tags: every name of every model, the latest models first. */
export function toTags(models: readonly OllamaModel[]) {
  const rows = models
    .toSorted((a, b) => b.addedAtMs - a.addedAtMs)
    .flatMap((model) => namesOf(model).map((name) => toTag(model, name)))
  return { models: rows }
}

function namesOf({ manifest: { id, aliases } }: OllamaModel): string[] {
  return [id, ...aliases.map((alias) => alias.id)]
}

function toTag(model: OllamaModel, name: string) {
  const tagged = `${name}:latest`
  return {
    name: tagged,
    model: tagged,
    modified_at: new Date(model.addedAtMs).toISOString(),
    size: model.sizeBytes,
    digest: model.digest,
    details: toDetails(model),
    capabilities: capabilitiesOf(model),
  }
}

/** Returns the answer of GET /api/ps. */
export function toPs(loaded: readonly LoadedOllamaModel[]) {
  const models = loaded.map(({ model, usedBytes, deviceBytes, expiresAtMs }) => {
    const { name, digest, details } = toTag(model, model.manifest.id)
    return {
      ...{ name, model: name, size: usedBytes, digest, details },
      expires_at: new Date(expiresAtMs).toISOString(),
      size_vram: deviceBytes,
      context_length: model.contextLength ?? 0,
    }
  })
  return { models }
}

/** Returns the answer of POST /api/show. `name` is the id that the client requested. */
export function toShow(model: OllamaModel, name: string) {
  const { manifest, addedAtMs } = model
  return {
    license: [manifest.license, manifest.licenseUrl].filter((text) => text !== undefined).join('\n'),
    modelfile: `# This model is served by inferd, which has no Modelfiles.\nFROM ${manifest.id}\n`,
    parameters: parametersOf(manifest),
    template: '',
    system: '',
    details: toDetails(model),
    messages: [],
    model_info: toModelInfo(model, name),
    capabilities: capabilitiesOf(model),
    modified_at: new Date(addedAtMs).toISOString(),
  }
}

/** Returns the capabilities, the same in every list: clients drop tools if two lists differ. */
function capabilitiesOf({ manifest, fillsGaps, template }: OllamaModel): string[] {
  const { type } = manifest
  const capabilities = { ...templateCapabilities(template), ...manifest.capabilities }
  if (type === 'embedding') return ['embedding']
  const { tools, reasoning = 'none' } = capabilities
  return [
    'completion',
    ...(tools === true ? ['tools'] : []),
    ...(fillsGaps === true ? ['insert'] : []),
    ...(sees(manifest) ? ['vision'] : []),
    ...(reasoning !== 'none' && reasoning !== false ? ['thinking'] : []),
  ]
}

function toDetails({ manifest, architecture, parameterCount, fileType, contextLength, embeddingLength }: OllamaModel) {
  return {
    parent_model: '',
    format: manifest.engine === 'onnx' ? 'onnx' : 'gguf',
    family: architecture,
    families: [architecture],
    parameter_size: parameterCount === undefined ? '' : shortCount(parameterCount),
    quantization_level: quantizations[fileType ?? -1] ?? 'unknown',
    ...(contextLength !== undefined && { context_length: contextLength }),
    ...(embeddingLength !== undefined && { embedding_length: embeddingLength }),
  }
}

/** Returns a short count, such as 30.5B for 30532122624. */
function shortCount(count: number): string {
  const [unit = 1, letter = ''] = units.find(([size]) => count >= size) ?? []
  return `${Number((count / unit).toFixed(unit === 1e9 ? 1 : 2))}${letter}`
}

const units: readonly (readonly [size: number, letter: string])[] = [
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
]

/** Quantization names by their number in GGUF files. */
const quantizations: Readonly<Record<number, string>> = {
  0: 'F32',
  1: 'F16',
  2: 'Q4_0',
  3: 'Q4_1',
  7: 'Q8_0',
  8: 'Q5_0',
  9: 'Q5_1',
  10: 'Q2_K',
  11: 'Q3_K_S',
  12: 'Q3_K_M',
  13: 'Q3_K_L',
  14: 'Q4_K_S',
  15: 'Q4_K_M',
  16: 'Q5_K_S',
  17: 'Q5_K_M',
  18: 'Q6_K',
  19: 'IQ2_XXS',
  20: 'IQ2_XS',
  21: 'Q2_K_S',
  22: 'IQ3_XS',
  23: 'IQ3_XXS',
  24: 'IQ1_S',
  25: 'IQ4_NL',
  26: 'IQ3_S',
  27: 'IQ3_M',
  28: 'IQ2_S',
  29: 'IQ2_M',
  30: 'IQ4_XS',
  31: 'IQ1_M',
  32: 'BF16',
  38: 'MXFP4',
}

/**
 * Returns the model's facts under GGUF keys. The context length is this server's limit, by which clients cut their
 * prompts.
 */
function toModelInfo(model: OllamaModel, name: string): Readonly<Record<string, string | number>> {
  const { architecture } = model
  const entries = {
    'general.architecture': architecture,
    'general.basename': name,
    'general.parameter_count': model.parameterCount,
    'general.file_type': model.fileType,
    [`${architecture}.context_length`]: model.contextLength,
    [`${architecture}.embedding_length`]: model.embeddingLength,
    [`${architecture}.block_count`]: model.blockCount,
    [`${architecture}.attention.head_count`]: model.headCount,
    [`${architecture}.attention.head_count_kv`]: model.headCountKv,
  }
  const known = Object.entries(entries).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
  return Object.fromEntries(known)
}

/** Returns one line per parameter, with names padded to a column. */
function parametersOf({ defaults: { temperature, topP, topK, minP, maxTokens } }: ModelManifest): string {
  const set = { temperature, top_p: topP, top_k: topK, min_p: minP, num_predict: maxTokens }
  return Object.entries(set)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(30)} ${value}`]))
    .join('\n')
}

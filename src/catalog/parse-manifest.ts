import { Value, type ValueError, ValueErrorType } from '@sinclair/typebox/value'
import { hears, type ModelFile, type ModelManifest, type Pricing, sees } from '../core/model.ts'
import { usdToNano } from '../core/money.ts'
import { nearest, suggestion } from '../core/nearest.ts'
import { engineTable } from '../engines/engine-table.ts'
import { foreignSettings, readModelSettings } from '../engines/model-settings.ts'
import { filesProblem } from './check-files.ts'
import { pricesProblem } from './check-prices.ts'
import { defaultName } from './file-names.ts'
import { type ManifestToml, manifestSchema } from './manifest-schema.ts'
import { speechModelProblem, toSynthesizerSettings } from './speech-model-of.ts'
import { textModelProblem, toTextModelSettings } from './text-model-of.ts'
import { toUpstreamServers, upstreamProblem, upstreamSettingsOf } from './upstream-of.ts'

/** A manifest that cannot be used. The message names the file and the field. */
export class ManifestError extends Error {
  override name = 'ManifestError'
  readonly problem: string

  constructor(file: string, problem: string) {
    super(`${file}: ${problem}`)
    this.problem = problem
  }
}

/** Author of a manifest: others than the operator must not choose where requests are sent. */
export type ManifestAuthor = 'operator' | 'anyone'

/** Returns a manifest from its parsed TOML. Throws ManifestError at the first problem. */
export function parseManifest(file: string, content: unknown, author: ManifestAuthor = 'anyone'): ModelManifest {
  if (!Value.Check(manifestSchema, content)) {
    const first = Value.Errors(manifestSchema, content).First()
    throw new ManifestError(file, first === undefined ? 'is not a manifest' : problemOf(first))
  }
  const upstream = content.upstream && toUpstreamServers(content.upstream)
  if (typeof upstream === 'string') throw new ManifestError(file, upstream)
  const manifest = { ...toManifest(content), upstream }
  const problem = foreignSettings(manifest.engine, content) ?? contradictionIn(manifest)
  if (problem !== undefined) throw new ManifestError(file, problem)
  if (upstream !== undefined && author === 'anyone') throw new ManifestError(file, onlyByOperators)
  const own = content.upstream === undefined ? content[manifest.engine] : upstreamSettingsOf(content.upstream)
  if (own === undefined) return manifest
  const read = readModelSettings(manifest.engine, own)
  if ('problem' in read) throw new ManifestError(file, read.problem)
  return { ...manifest, settings: read.settings }
}

const onlyByOperators =
  'engine "upstream" sends requests to other servers: only a manifest that you write into the folder models.d of the data folder can name them'

function problemOf(error: ValueError): string {
  const field = error.path
    .slice(1)
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.')
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    const name = field.split('.').at(-1) ?? ''
    return `unknown field "${field}"${suggestion(name, Object.keys(error.schema.properties ?? {}))}`
  }
  if (error.type === ValueErrorType.ObjectRequiredProperty) return `"${field}" is missing`
  const wanted = `"${field}" must be ${error.schema.description ?? 'something else'}`
  // The value may contain a key, so the message does not quote it.
  if (field === 'upstream') return wanted
  const choices: readonly { readonly const?: unknown }[] = error.schema.anyOf ?? []
  const names = choices.flatMap(({ const: name }) => (typeof name === 'string' ? name : []))
  const meant = typeof error.value === 'string' ? nearest(error.value, names) : undefined
  const hint = meant === undefined ? '' : ` (did you mean "${meant}"?)`
  return `${wanted}, not ${JSON.stringify(error.value)?.slice(0, 100)}${hint}`
}

function toManifest(toml: ManifestToml): ModelManifest {
  return {
    id: toml.id,
    type: toml.type,
    engine: toml.engine,
    why: toml.why,
    license: toml.license,
    licenseUrl: toml.license_url,
    acceptLicense: toml.accept_license,
    noncommercial: toml.noncommercial,
    contextLength: toml.context_length,
    dimensions: toml.dimensions,
    aliases: toml.aliases ?? [],
    files: (toml.files ?? []).map(toFile),
    ...(toml.gpu_files !== undefined && { gpuFiles: toml.gpu_files.map(toFile) }),
    pricing: toml.pricing === undefined ? undefined : toPricing(toml.pricing),
    capabilities: toml.capabilities ?? {},
    encoder: toml.encoder === undefined ? undefined : toTextModelSettings(toml.encoder),
    transcriber: toml.transcriber,
    diarizer: toml.diarizer,
    synthesizer: toml.synthesizer === undefined ? undefined : toSynthesizerSettings(toml.synthesizer),
    defaults: {
      temperature: toml.defaults?.temperature,
      topP: toml.defaults?.top_p,
      topK: toml.defaults?.top_k,
      minP: toml.defaults?.min_p,
      reasoning: toml.defaults?.reasoning,
      maxTokens: toml.defaults?.max_tokens,
      repetitionDetection: toml.defaults?.repetition_detection,
    },
  }
}

function toFile({ bytes, ...file }: NonNullable<ManifestToml['files']>[number]): ModelFile {
  return { ...file, name: file.name ?? defaultName(file), sizeBytes: bytes }
}

function toPricing(toml: NonNullable<ManifestToml['pricing']>): Pricing {
  const nano = (usd: number | undefined) => (usd === undefined ? undefined : usdToNano(usd))
  return {
    inputNanoUsd: nano(toml.input),
    cachedInputNanoUsd: nano(toml.cached_input),
    outputNanoUsd: nano(toml.output),
    priceNanoUsd: nano(toml.price),
    unit: toml.unit,
  }
}

/** Returns the first fault that the schema cannot express: fields that contradict each other. */
function contradictionIn(manifest: ModelManifest): string | undefined {
  const problem = filesProblem(manifest.files, manifest.gpuFiles)
  if (problem !== undefined) return problem
  if (manifest.acceptLicense === true && manifest.license === undefined)
    return '"accept_license" needs a "license": the one that is to be accepted'
  if (engineTable[manifest.engine].readsGguf && !manifest.files.some(({ role }) => role === 'model'))
    return `engine "${manifest.engine}" needs a file with role "model"`
  if (!engineTable[manifest.engine].modelTypes.includes(manifest.type)) {
    return `engine "${manifest.engine}" has no models of type "${manifest.type}"`
  }
  const ofKind =
    upstreamProblem(manifest) ??
    projectorProblem(manifest) ??
    textModelProblem(manifest) ??
    speechModelProblem(manifest)
  if (ofKind !== undefined) return ofKind
  if (manifest.pricing === undefined) return undefined
  const prices = pricesProblem(manifest, manifest.pricing)
  return prices === undefined ? undefined : `"pricing": ${prices}`
}

/** Returns a mismatch of type and projector: models that see or hear need one, others must not have one. */
function projectorProblem(manifest: ModelManifest): string | undefined {
  const { type, engine, files, capabilities } = manifest
  const takesAudio = hears(manifest) && engineTable[engine].readsGguf
  if (capabilities.audio === true && !takesAudio)
    return '"capabilities.audio" is for models of type chat and vision of engine "llama"'
  const count = files.filter(({ role }) => role === 'mmproj').length
  if (!sees({ type }) && !takesAudio)
    return count === 0
      ? undefined
      : 'a file with role "mmproj" is for models of type vision, or with audio = true in [capabilities]'
  if (!engineTable[engine].readsGguf || count === 1) return undefined
  return count === 0
    ? `engine "${engine}" needs a file with role "mmproj" for models that see or hear`
    : 'a model has one file with role "mmproj"'
}

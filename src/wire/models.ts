import type { ModelAlias, ModelManifest, ModelStatus, ModelType, Pricing } from '../core/model.ts'
import { nanoToUsd } from '../core/money.ts'
import { invalidValue } from './check.ts'

const modelTypes: readonly ModelType[] = ['chat', 'vision', 'embedding', 'rerank', 'tts', 'stt']

/** What models can do and this API does not serve yet: requests for it are refused, so rows must not promise it. */
const notServed = new Map<string, boolean | string>([['vision', false]])

/** A catalog entry, as far as the list shows it. */
export interface ListedModel {
  readonly manifest: ModelManifest
  readonly status: ModelStatus
  /** Unix time in ms at which this server came to know the model. */
  readonly addedAtMs: number
}

export interface ModelRow {
  readonly id: string
  readonly object: 'model'
  readonly created: number
  readonly owned_by: string
  readonly type: ModelType
  readonly canonical: string
  /** What clients of the messages dialect show. */
  readonly display_name: string
  /** USD; on canonical rows only, and only where the operator has set prices. */
  readonly pricing?: Readonly<Record<string, number | string>>
  readonly context_length?: number
  readonly dimensions?: number
  readonly capabilities: Readonly<Record<string, boolean | string>>
  /** On canonical rows only. */
  readonly aliases?: readonly string[]
  readonly docs: string
  readonly status: ModelStatus['kind']
  /** Why the model is broken. */
  readonly reason?: string
}

/** All rows at once; the last three fields tell so to clients of the messages dialect, which page. */
export interface ModelList {
  readonly object: 'list'
  readonly data: readonly ModelRow[]
  readonly has_more: false
  readonly first_id: string | null
  readonly last_id: string | null
}

export interface ModelRowOptions {
  /** Address of the page that describes a model. */
  readonly docsUrl: (canonicalId: string) => string
}

/** The `type` that a list is limited to, undefined when it is not. Throws ApiError 400 for a type that there is not. */
export function parseModelType(text: string | undefined): ModelType | undefined {
  if (text === undefined || isModelType(text)) return text
  throw invalidValue('type', `one of ${modelTypes.join(', ')}`)
}

function isModelType(text: string): text is ModelType {
  return modelTypes.some((type) => type === text)
}

/**
 * Rows of GET /models, in the order given; each canonical row is followed by the rows of its aliases. `type` keeps one
 * type of model only.
 */
export function toModelList(
  models: readonly ListedModel[],
  options: ModelRowOptions & { readonly type?: ModelType | undefined },
): ModelList {
  const wanted = models.filter((model) => options.type === undefined || model.manifest.type === options.type)
  const data = wanted.flatMap((model) => [
    toModelRow(model, options),
    ...model.manifest.aliases.map((alias) => toAliasRow(model, alias, options)),
  ])
  return { object: 'list', data, has_more: false, first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null }
}

/** The row of one model under its canonical id. */
export function toModelRow(model: ListedModel, options: ModelRowOptions): ModelRow {
  const { manifest } = model
  return {
    ...commonFields(model, manifest.id, options),
    ...(manifest.pricing === undefined ? {} : { pricing: toPricing(manifest.pricing) }),
    aliases: manifest.aliases.map((alias) => alias.id),
  }
}

/** The row of one model under one of its other names. */
export function toAliasRow(model: ListedModel, alias: ModelAlias, options: ModelRowOptions): ModelRow {
  return commonFields(model, alias.id, options)
}

function commonFields({ manifest, status, addedAtMs }: ListedModel, id: string, options: ModelRowOptions): ModelRow {
  return {
    id,
    object: 'model',
    created: Math.floor(addedAtMs / 1000),
    owned_by: manifest.id.split('/')[0] ?? manifest.id,
    type: manifest.type,
    canonical: manifest.id,
    display_name: id,
    ...(manifest.contextLength === undefined ? {} : { context_length: manifest.contextLength }),
    ...(manifest.dimensions === undefined ? {} : { dimensions: manifest.dimensions }),
    capabilities: servedCapabilities(manifest),
    docs: options.docsUrl(manifest.id),
    status: status.kind,
    ...(status.kind === 'broken' ? { reason: status.reason } : {}),
  }
}

function servedCapabilities(manifest: ModelManifest): ModelManifest['capabilities'] {
  const capabilities = { ...textCapabilities(manifest), ...manifest.capabilities }
  return Object.fromEntries(Object.entries(capabilities).map(([name, value]) => [name, notServed.get(name) ?? value]))
}

/** What callers of embeddings want to know: whether cut vectors are of use, and whether the model is told what a text is. */
function textCapabilities({ type, encoder }: ModelManifest): ModelManifest['capabilities'] {
  if (type !== 'embedding') return {}
  const hasInstructions = encoder !== undefined && encoder.queryPrefix !== encoder.documentPrefix
  return { custom_dimensions: false, input_type: hasInstructions }
}

function toPricing(pricing: Pricing): Record<string, number | string> {
  const { inputNanoUsd, cachedInputNanoUsd, outputNanoUsd, priceNanoUsd, unit } = pricing
  return {
    ...(inputNanoUsd === undefined ? {} : { input: nanoToUsd(inputNanoUsd) }),
    ...(cachedInputNanoUsd === undefined ? {} : { cached_input: nanoToUsd(cachedInputNanoUsd) }),
    ...(outputNanoUsd === undefined ? {} : { output: nanoToUsd(outputNanoUsd) }),
    ...(priceNanoUsd === undefined ? {} : { price: nanoToUsd(priceNanoUsd) }),
    unit,
  }
}

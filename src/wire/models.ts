import {
  type ModelAlias,
  type ModelManifest,
  type ModelStatus,
  type ModelType,
  modelTypes,
  type Pricing,
  sees,
  type TemplateFacts,
  templateCapabilities,
} from '../core/model.ts'
import { nanoToUsd } from '../core/money.ts'
import { invalidValue } from './check.ts'

/** A catalog entry, as far as the list shows it. */
export interface ListedModel {
  readonly manifest: ModelManifest
  /** `loading`: it can be served, and its first requests wait until it is loaded. */
  readonly status: ModelStatus | { readonly kind: 'loading' }
  /** Unix time in ms at which this server came to know the model. */
  readonly addedAtMs: number
  /** It can fill in the middle. Absent where that is not known. */
  readonly fillsGaps?: boolean
  /** Facts of its chat template. Absent where none is known. */
  readonly template?: TemplateFacts
}

export type ModelRow = ReturnType<typeof toModelRow>

interface ModelRowOptions {
  /** Address of the page that describes a model. */
  readonly docsUrl: (canonicalId: string) => string
}

/** The `type` that a list is limited to, undefined when it is not. Throws ApiError 400 for a type that there is not. */
export function parseModelType(text: string | undefined): ModelType | undefined {
  const found = modelTypes.find((type) => type === text)
  if (found === undefined && text !== undefined) throw invalidValue('type', `one of ${modelTypes.join(', ')}`)
  return found
}

/**
 * Rows of GET /models, in the order given; each canonical row is followed by the rows of its aliases. `type` keeps one
 * type of model only. All rows come at once, as the last three fields say.
 */
export function toModelList(
  models: readonly ListedModel[],
  options: ModelRowOptions & { readonly type?: ModelType | undefined },
) {
  const wanted = models.filter((model) => options.type === undefined || model.manifest.type === options.type)
  const data = wanted.flatMap((model) => [
    toModelRow(model, options),
    ...model.manifest.aliases.map((alias) => toAliasRow(model, alias, options)),
  ])
  return { object: 'list', data, has_more: false, first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null }
}

/** The row of one model under its canonical id; `pricing` only where the operator has set prices. */
export function toModelRow(model: ListedModel, options: ModelRowOptions) {
  const { id, pricing, aliases, transcriber, synthesizer } = model.manifest
  return {
    ...commonFields(model, id, options),
    ...(pricing === undefined ? {} : { pricing: toPricing(pricing) }),
    ...(transcriber?.languages === undefined ? {} : { languages: transcriber.languages }),
    ...(synthesizer === undefined ? {} : { voices: synthesizer.voices.map(({ name }) => name) }),
    aliases: aliases.map((alias) => alias.id),
  }
}

/** The row of one model under one of its other names. */
export function toAliasRow(model: ListedModel, alias: ModelAlias, options: ModelRowOptions) {
  return commonFields(model, alias.id, options)
}

function commonFields(model: ListedModel, id: string, options: ModelRowOptions) {
  const { manifest, status, addedAtMs } = model
  return {
    id,
    object: 'model',
    created: Math.floor(addedAtMs / 1000),
    created_at: new Date(addedAtMs).toISOString(),
    owned_by: manifest.id.split('/')[0] ?? manifest.id,
    type: manifest.type,
    canonical: manifest.id,
    // What clients of the messages dialect show.
    display_name: id,
    ...(manifest.contextLength === undefined ? {} : { context_length: manifest.contextLength }),
    ...(manifest.dimensions === undefined ? {} : { dimensions: manifest.dimensions }),
    capabilities: {
      ...knownCapabilities(manifest),
      ...templateCapabilities(model.template),
      ...manifest.capabilities,
      ...seenCapabilities(model),
    },
    docs: options.docsUrl(manifest.id),
    status: status.kind,
    ...(status.kind === 'broken' ? { reason: status.reason } : {}),
  }
}

/**
 * Of models that chat, whatever their manifests promise: requests with pictures to a model that does not see are refused, and so are
 * gaps where the file names no tokens for them.
 */
function seenCapabilities({ manifest, fillsGaps }: ListedModel): ModelManifest['capabilities'] {
  if (manifest.type !== 'chat' && manifest.type !== 'vision') return {}
  return { vision: sees(manifest), ...(fillsGaps !== undefined && { fill_in_the_middle: fillsGaps }) }
}

/**
 * Of transcribers, that they make nothing of a prompt; of embedders, whether cut vectors are of use, and whether the model is told what
 * a text is.
 */
function knownCapabilities({ type, encoder, transcriber }: ModelManifest): ModelManifest['capabilities'] {
  if (transcriber !== undefined) return { prompt: false }
  if (type !== 'embedding') return {}
  const hasInstructions = encoder !== undefined && encoder.queryPrefix !== encoder.documentPrefix
  return { custom_dimensions: false, input_type: hasInstructions }
}

/** USD per unit, as far as the model has such a price. */
interface ListedPricing {
  readonly input?: number | undefined
  readonly cached_input?: number | undefined
  readonly output?: number | undefined
  readonly price?: number | undefined
  readonly unit: Pricing['unit']
}

function toPricing(pricing: Pricing): ListedPricing {
  const usd = (nanoUsd: number | undefined) => (nanoUsd === undefined ? undefined : nanoToUsd(nanoUsd))
  return {
    input: usd(pricing.inputNanoUsd),
    cached_input: usd(pricing.cachedInputNanoUsd),
    output: usd(pricing.outputNanoUsd),
    price: usd(pricing.priceNanoUsd),
    unit: pricing.unit,
  }
}

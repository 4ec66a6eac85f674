import {
  type ModelAlias,
  type ModelManifest,
  type ModelType,
  modelTypes,
  type Pricing,
  sees,
  type TemplateFacts,
  templateCapabilities,
} from '../core/model.ts'
import type { FilesState, ModelState } from '../core/model-state.ts'
import { nanoToUsd } from '../core/money.ts'
import { invalidValue } from './check.ts'
import { architectureOf, limitFields, type ModelContext } from './model-limits.ts'

/** Part of a catalog entry that the list shows */
export interface ServedModel extends ModelContext {
  readonly manifest: ModelManifest
  readonly status: ServedState
  /** Time of the manifest in milliseconds UTC: last change of its file, or build of the shipped catalog */
  readonly addedAtMs: number
  /** True if the model can fill in the middle. Absent if unknown. */
  readonly fillsGaps?: boolean
  /** Facts of the chat template. Absent if unknown. */
  readonly template?: TemplateFacts
}

/** State for clients. `loading` models can be requested. Their first requests wait until loading ends. */
type ServedState = FilesState | { readonly kind: 'loading' }

/**
 * Returns a model's state for clients. A model whose engine could not load its file is broken; the engine's own
 * reason names files and is for the operator alone.
 */
export function toServedState(
  files: FilesState,
  model: Pick<ModelState, 'state' | 'failedLoad' | 'failedLoadCode'> | undefined,
): ServedState {
  if (model === undefined || files.kind !== 'ready') return files
  if (model.state === 'estimating' || model.state === 'starting') return { kind: 'loading' }
  // A model that does not fit into memory now is not broken.
  if (model.failedLoad === undefined || model.failedLoadCode === 'out-of-memory') return files
  return { kind: 'broken', reason: "its engine could not load it; 'inferd ps' tells why" }
}

export type ModelObject = ReturnType<typeof toModelObject>

interface ModelObjectOptions {
  /** Returns the address of a model's documentation. */
  readonly docsUrl: (canonicalId: string) => string
}

/** Returns the `type` that a list is limited to; undefined if not limited. Throws ApiError 400 for an unknown type. */
export function parseModelType(text: string | undefined): ModelType | undefined {
  const found = modelTypes.find((type) => type === text)
  if (found === undefined && text !== undefined) throw invalidValue('type', `one of ${modelTypes.join(', ')}`)
  return found
}

/**
 * Returns the objects of GET /models in the given order, each model's aliases after its canonical id. `type` keeps
 * one model type. The last three fields state that the list has one page.
 */
export function toModelList(
  models: readonly ServedModel[],
  options: ModelObjectOptions & { readonly type?: ModelType | undefined },
) {
  const wanted = models.filter((model) => options.type === undefined || model.manifest.type === options.type)
  const data = wanted.flatMap((model) => [
    toModelObject(model, options),
    ...model.manifest.aliases.map((alias) => toAliasObject(model, alias, options)),
  ])
  return { object: 'list', data, has_more: false, first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null }
}

/** Returns the object of one model under its canonical id. `pricing` exists only if the operator has set prices. */
export function toModelObject(model: ServedModel, options: ModelObjectOptions) {
  const { id, pricing, aliases, transcriber, synthesizer } = model.manifest
  return {
    ...commonFields(model, id, options),
    ...(pricing === undefined ? {} : { pricing: toPricing(pricing) }),
    ...(transcriber?.languages === undefined ? {} : { languages: transcriber.languages }),
    ...(synthesizer === undefined ? {} : { voices: synthesizer.voices.map(({ name }) => name) }),
    aliases: aliases.map((alias) => alias.id),
  }
}

/** Returns the object of one model under an alias. */
export function toAliasObject(model: ServedModel, alias: ModelAlias, options: ModelObjectOptions) {
  return commonFields(model, alias.id, options)
}

function commonFields(model: ServedModel, id: string, options: ModelObjectOptions) {
  const { manifest, status, addedAtMs } = model
  return {
    id,
    object: 'model',
    created: Math.floor(addedAtMs / 1000),
    created_at: new Date(addedAtMs).toISOString(),
    owned_by: manifest.id.split('/')[0] ?? manifest.id,
    type: manifest.type,
    canonical: manifest.id,
    // Clients of the messages dialect show this name.
    display_name: id,
    ...limitFields(model),
    ...(manifest.dimensions === undefined ? {} : { dimensions: manifest.dimensions }),
    architecture: architectureOf(manifest),
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
 * Returns the capabilities of chat models that facts decide, which override those of the manifest: requests with
 * pictures are refused if the model cannot see, and gaps if its file names no tokens for them.
 */
function seenCapabilities({ manifest, fillsGaps }: ServedModel): ModelManifest['capabilities'] {
  if (manifest.type !== 'chat' && manifest.type !== 'vision') return {}
  return { vision: sees(manifest), ...(fillsGaps !== undefined && { fill_in_the_middle: fillsGaps }) }
}

/**
 * Returns capabilities known from a model's type: transcribers ignore prompts; embedders may support shortened vectors
 * and instructions.
 */
function knownCapabilities({ type, encoder, transcriber }: ModelManifest): ModelManifest['capabilities'] {
  if (transcriber !== undefined) return { prompt: false }
  if (type !== 'embedding') return {}
  const hasInstructions = encoder !== undefined && encoder.queryPrefix !== encoder.documentPrefix
  return { custom_dimensions: false, input_type: hasInstructions }
}

/** Prices in USD per unit. Undefined ones are not set. */
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

import type { ModelAlias, ModelManifest, ModelStatus, ModelType, Pricing } from '../core/model.ts'
import { nanoToUsd } from '../core/money.ts'
import { unreachable } from '../core/unreachable.ts'

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
  /** USD; on canonical rows only. */
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

export interface ModelRowOptions {
  /** Address of the page that describes a model. */
  readonly docsUrl: (canonicalId: string) => string
}

/**
 * Rows of GET /models, in the order given; each canonical row is followed by the rows of its aliases. `type` keeps one
 * type of model only.
 */
export function toModelList(
  models: readonly ListedModel[],
  options: ModelRowOptions & { readonly type?: string | undefined },
): { object: 'list'; data: ModelRow[] } {
  const wanted = models.filter((model) => options.type === undefined || model.manifest.type === options.type)
  return {
    object: 'list',
    data: wanted.flatMap((model) => [
      toModelRow(model, options),
      ...model.manifest.aliases.map((alias) => toAliasRow(model, alias, options)),
    ]),
  }
}

/** The row of one model under its canonical id. */
export function toModelRow(model: ListedModel, options: ModelRowOptions): ModelRow {
  const { manifest } = model
  return {
    ...commonFields(model, manifest.id, options),
    pricing: toPricing(manifest.pricing ?? freePricing(manifest.type)),
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
    ...(manifest.contextLength === undefined ? {} : { context_length: manifest.contextLength }),
    ...(manifest.dimensions === undefined ? {} : { dimensions: manifest.dimensions }),
    capabilities: manifest.capabilities,
    docs: options.docsUrl(manifest.id),
    status: status.kind,
    ...(status.kind === 'broken' ? { reason: status.reason } : {}),
  }
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

/** A manifest without prices costs nothing; the row still has the fields that clients of its type read. */
function freePricing(type: ModelType): Pricing {
  switch (type) {
    case 'chat':
    case 'vision':
      return { inputNanoUsd: 0, outputNanoUsd: 0, unit: '1M_tokens' }
    case 'embedding':
    case 'rerank':
      return { priceNanoUsd: 0, unit: '1M_tokens' }
    case 'tts':
      return { priceNanoUsd: 0, unit: '1M_characters' }
    case 'stt':
      return { priceNanoUsd: 0, unit: 'minute' }
    default:
      return unreachable(type)
  }
}

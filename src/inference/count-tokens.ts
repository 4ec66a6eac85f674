import type { ResolvedModel } from '../catalog/catalog.ts'
import type { ChatRequest } from '../core/chat.ts'
import { ApiError } from '../core/errors.ts'
import type { InstalledModel, ModelManifest } from '../core/model.ts'
import { pricingOf } from '../core/pricing-of.ts'
import { chatTypes } from './chat.ts'
import { installedModel } from './installed-model.ts'
import { coverOf, modelNotPriced, type Till } from './metered.ts'
import { leastPrice } from './require-funds.ts'
import { requireType } from './resolve-model.ts'
import { withDefaults } from './with-defaults.ts'

/** The part of the engine pool that counts prompts. */
export interface TokenCounters {
  countTokens(
    model: InstalledModel,
    request: ChatRequest,
    context: { readonly accountId: string; readonly signal: AbortSignal },
  ): Promise<number>
}

export interface CountTokensOptions {
  readonly request: ChatRequest
  readonly resolved: ResolvedModel
  readonly payer: { readonly accountId: string; readonly keyId: string }
  readonly till: Pick<Till, 'check'>
  /** The model can serve at once. */
  readonly isLoaded: boolean
  /** Page on which funds are added. */
  readonly billingUrl: string
  /** Aborting it ends the engine's work; its reason is then thrown. */
  readonly signal: AbortSignal
  readonly pool: TokenCounters
}

/**
 * Tokens of the prompt that `startChat` would make of the same request, by the model's own template with tools and
 * thinking as they would be. Nothing is generated, so nothing is charged; but a model that is not loaded yet is loaded only
 * for accounts that could pay for a token of it. Throws ApiError as `startChat` does, but counts a prompt that is longer
 * than the context.
 */
export async function countTokens(options: CountTokensOptions): Promise<number> {
  const { request, resolved, payer, signal, pool } = options
  requireType(resolved, chatTypes, 'counting tokens')
  const model = installedModel(resolved.entry)
  requireCountable(model.manifest, options)
  const { accountId } = payer
  return pool.countTokens(model, withDefaults(request, model.manifest, resolved.alias), { accountId, signal })
}

function requireCountable(manifest: ModelManifest, { payer, till, isLoaded, billingUrl }: CountTokensOptions): void {
  const { pricing, isPriced } = pricingOf(manifest)
  const neededNanoUsd = leastPrice(pricing)
  const outcome = till.check({ ...payer, amountNanoUsd: neededNanoUsd })
  if (outcome.kind === 'held' && !isPriced) throw modelNotPriced(manifest.id)
  const cover = coverOf(outcome)
  if (cover.isEnough || isLoaded) return
  throw new ApiError(
    'insufficient_balance',
    `Counting is free, but model '${manifest.id}' is not loaded, which is done for accounts that could pay for a token of it. Add funds at ${billingUrl}`,
    { code: 'insufficient_balance' },
  )
}

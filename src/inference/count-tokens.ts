import type { ResolvedModel } from '../catalog/catalog.ts'
import type { ChatRequest } from '../core/chat.ts'
import { ApiError } from '../core/errors.ts'
import type { ModelManifest } from '../core/model.ts'
import { pricingOf } from '../core/pricing-of.ts'
import { kindsOfWork } from '../core/work.ts'
import { unlimited } from '../engines/meter.ts'
import type { WorkEngines } from './chat.ts'
import { installedModel } from './installed-model.ts'
import { coverOf, modelNotPriced, type Till } from './metered.ts'
import { leastPrice } from './require-funds.ts'
import { requireType } from './resolve-model.ts'
import { withDefaults } from './with-defaults.ts'

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
  readonly pool: WorkEngines
}

/**
 * Tokens of the prompt that `startChat` would make of the same request, by the model's own template with tools and
 * thinking as they would be. Nothing is generated, so nothing is charged; but a model that is not loaded yet is loaded only
 * for accounts that could pay for a token of it. Throws ApiError as `startChat` does, but counts a prompt that is longer
 * than the context.
 */
export async function countTokens(options: CountTokensOptions): Promise<number> {
  const { request, resolved, payer, signal, pool } = options
  requireType(resolved, kindsOfWork.count.modelTypes, 'counting tokens')
  const model = installedModel(resolved.entry)
  requireCountable(model.manifest, options)
  const { accountId } = payer
  const work = { kind: 'count', request: withDefaults(request, model.manifest, resolved.alias) } as const
  for await (const event of pool.run(model, work, { accountId, signal, meter: unlimited })) {
    if (event.type === 'start') return event.promptTokens
  }
  throw new Error('the engine counted nothing: this is a bug')
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

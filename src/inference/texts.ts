import type { ResolvedModel } from '../catalog/catalog.ts'
import { pricingOf } from '../core/pricing-of.ts'
import type { Scores, Vectors } from '../core/texts.ts'
import type { Usage } from '../core/usage.ts'
import { kindsOfWork, type Work, type WorkEvent } from '../core/work.ts'
import type { WorkEngines } from './chat.ts'
import { installedModel } from './installed-model.ts'
import { type MeteredOptions, metered } from './metered.ts'
import { requireType } from './resolve-model.ts'
import { TextsMeter } from './texts-meter.ts'
import { requireEmbeddable } from './texts-request.ts'
import { requireComplete } from './texts-result.ts'

export interface TextsOptions {
  readonly work: Work<'embed' | 'rerank'>
  readonly resolved: ResolvedModel
  readonly pool: WorkEngines
  /** Where its money comes from; the model's name and prices are added here. */
  readonly payment: Omit<MeteredOptions, 'call'> & {
    readonly call: Omit<MeteredOptions['call'], 'model' | 'pricing' | 'isPriced'>
    /** Page on which funds are added. */
    readonly billingUrl: string
  }
  /** Hears each event as it comes: the start before anything is charged for. */
  readonly onEvent: (event: WorkEvent<'embed' | 'rerank'>) => void
}

export interface ComputedTexts {
  readonly result: Vectors | Scores
  readonly usage: Usage
}

/**
 * Runs a request for vectors or scores, loading the model if need be, and resolves once its charge is on disk. All of its
 * price is held before anything is computed. Throws ApiError for what can be refused, and the reason of the payment's
 * signal when that aborts: what was computed until then is charged. For failures of ours nothing is.
 */
export async function computeTexts({ work, resolved, pool, payment, onEvent }: TextsOptions): Promise<ComputedTexts> {
  requireType(resolved, kindsOfWork[work.kind].modelTypes, payment.call.endpoint)
  const model = installedModel(resolved.entry)
  const { manifest } = model
  requireEmbeddable(work, manifest)
  const call = { ...payment.call, model: manifest.id, ...pricingOf(manifest) }
  const results = metered({ ...payment, call }, async function* (bill): AsyncGenerator<ComputedTexts> {
    const { billingUrl, signal } = payment
    const meter = new TextsMeter({ bill, billingUrl })
    meter.check()
    let result: Vectors | Scores | undefined
    for await (const event of pool.run(model, work, { accountId: call.accountId, signal, meter })) {
      onEvent(event)
      if (event.type === 'vectors' || event.type === 'scores') result = event
      if (event.type !== 'finish' || result === undefined) continue
      requireComplete(work, result)
      await bill.finish(event.usage, 'stop')
      yield { result, usage: event.usage }
    }
  })
  for await (const computed of results) return computed
  throw new Error('the engine ended without a result: this is a bug')
}

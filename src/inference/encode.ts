import type { ResolvedModel } from '../catalog/catalog.ts'
import type { EncodeEvent, EncodeRequest, Scores, Vectors } from '../core/encode.ts'
import type { InstalledModel, ModelType } from '../core/model.ts'
import { pricingOf } from '../core/pricing-of.ts'
import type { Usage } from '../core/usage.ts'
import type { EngineMeter } from '../engines/meter.ts'
import { EncodeMeter, tokensRead } from './encode-meter.ts'
import { requireEncodable } from './encode-request.ts'
import { requireComplete } from './encode-result.ts'
import { installedModel } from './installed-model.ts'
import { type MeteredOptions, metered } from './metered.ts'
import { requireType } from './resolve-model.ts'

/** The part of the engine pool that embeds and scores. */
export interface EncodeEngines {
  encode(
    model: InstalledModel,
    request: EncodeRequest,
    context: { readonly accountId: string; readonly signal: AbortSignal; readonly meter: EngineMeter },
  ): AsyncGenerator<EncodeEvent>
}

export interface EncodeOptions {
  readonly request: EncodeRequest
  readonly resolved: ResolvedModel
  readonly pool: EncodeEngines
  /** Where its money comes from; the model's name and prices are added here. */
  readonly payment: Omit<MeteredOptions, 'call'> & {
    readonly call: Omit<MeteredOptions['call'], 'model' | 'pricing' | 'isPriced'>
    /** Page on which funds are added. */
    readonly billingUrl: string
  }
  /** Hears each event as it comes: the start before anything is charged for. */
  readonly onEvent: (event: EncodeEvent) => void
}

export interface Encoded {
  readonly result: Vectors | Scores
  readonly usage: Usage
}

/** The type of model that makes vectors, or scores. */
export const encoderTypes: Readonly<Record<EncodeRequest['type'], ModelType>> = {
  embed: 'embedding',
  rerank: 'rerank',
}

/**
 * Runs a request for vectors or scores, loading the model if need be, and resolves once its charge is on disk. All of its
 * price is held before anything is computed. Throws ApiError for what can be refused, and the reason of the payment's
 * signal when that aborts: what was computed until then is charged. For failures of ours nothing is.
 */
export async function encode({ request, resolved, pool, payment, onEvent }: EncodeOptions): Promise<Encoded> {
  requireType(resolved, [encoderTypes[request.type]], payment.call.endpoint)
  const model = installedModel(resolved.entry)
  const { manifest } = model
  requireEncodable(request, manifest)
  const call = { ...payment.call, model: manifest.id, ...pricingOf(manifest) }
  const results = metered({ ...payment, call }, async function* (bill): AsyncGenerator<Encoded> {
    const { billingUrl, signal } = payment
    const meter = new EncodeMeter({ bill, billingUrl })
    meter.check()
    for await (const event of pool.encode(model, request, { accountId: call.accountId, signal, meter })) {
      onEvent(event)
      if (event.type !== 'encoded') continue
      requireComplete(request, event.result)
      await bill.finish(tokensRead(event.usage.promptTokens), 'stop')
      yield event
    }
  })
  for await (const encoded of results) return encoded
  throw new Error('the engine ended without a result: this is a bug')
}

import type { ResolvedModel } from '../catalog/catalog.ts'
import type { AudioFile } from '../core/speech.ts'
import { requireFunds } from '../inference/require-funds.ts'
import type { BodyReader, WorkCall } from '../wire/dialect.ts'
import { acceptForm } from './accept-form.ts'
import type { KeyHolder } from './authenticate.ts'
import { toError } from './bodies/parse-body.ts'
import { findServed } from './find-served.ts'
import { billingUrl } from './page-urls.ts'
import type { Exchange } from './services.ts'

export interface AcceptedRequest<Call> {
  readonly call: Call
  readonly resolved: ResolvedModel
  /** Where the body has a recording. */
  readonly audio?: AudioFile
}

/**
 * Reads a request for a model. What costs little is checked first: money, the body's bounds, JSON or form, the model, its
 * type, the other fields. Throws ApiError.
 */
export async function acceptRequest<Call extends WorkCall>(
  exchange: Exchange,
  holder: KeyHolder,
  reader: BodyReader<Call>,
): Promise<AcceptedRequest<Call>> {
  const { request, services } = exchange
  const { accountId } = holder
  const { file } = reader
  const hasFunds = requireFunds(holder, reader.kind, {
    till: services.till,
    entries: () => services.catalog.entries(),
    billingUrl: billingUrl(exchange.baseUrl),
  })
  // The intake has a time limit of its own.
  exchange.limitSilence(false)
  // All accounts without funds together count as one.
  const sender = hasFunds ? accountId : 'unfunded'
  if (file !== undefined) return await acceptForm(exchange, { ...holder, sender }, { ...reader, file })
  const findItem = (id: string) => services.recentItems.find(accountId, id)
  const body = await exchange.intake.take(request, reader, { accountId, hasFunds }, findItem)
  const resolved = findServed(exchange, body.modelId, reader)
  if ('refusal' in body.fields) throw toError(body.fields.refusal)
  // Made by this reader, perhaps in the thread that parses.
  const call = body.fields.call as Call
  return { call, resolved }
}

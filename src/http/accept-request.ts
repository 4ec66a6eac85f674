import type { ResolvedModel } from '../catalog/catalog.ts'
import { kindsOfWork } from '../core/work.ts'
import { requireFunds } from '../inference/require-funds.ts'
import { findModel, requireType } from '../inference/resolve-model.ts'
import type { BodyReader } from '../wire/dialect.ts'
import type { KeyHolder } from './authenticate.ts'
import { toError } from './bodies/parse-body.ts'
import { billingUrl } from './page-urls.ts'
import type { Exchange } from './services.ts'

/**
 * Reads a request for a model. What costs little is checked first: money, the body's bounds, JSON, the model, its type, the
 * other fields. Throws ApiError.
 */
export async function acceptRequest<Call>(
  exchange: Exchange,
  holder: KeyHolder,
  reader: BodyReader<Call>,
): Promise<{ readonly call: Call; readonly resolved: ResolvedModel }> {
  const { request, record, services } = exchange
  const { accountId } = holder
  const hasFunds = requireFunds(holder, reader.kind, {
    till: services.till,
    entries: () => services.catalog.entries(),
    billingUrl: billingUrl(exchange.baseUrl),
  })
  // The intake has a time limit of its own.
  exchange.limitSilence(false)
  const findItem = (id: string) => services.recentItems.find(accountId, id)
  const body = await exchange.intake.take(request, reader, { accountId, hasFunds }, findItem)
  const resolved = findModel(services.catalog, body.modelId)
  record.model = resolved.entry.manifest.id
  requireType(resolved, kindsOfWork[reader.kind].modelTypes, reader.endpoint)
  if ('refusal' in body.fields) throw toError(body.fields.refusal)
  // Made by this reader, perhaps in the thread that parses.
  const call = body.fields.call as Call
  return { call, resolved }
}

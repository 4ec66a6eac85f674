import type { ResolvedModel } from '../catalog/catalog.ts'
import { ApiError } from '../core/errors.ts'
import type { ModelType } from '../core/model.ts'
import { requireFunds } from '../inference/require-funds.ts'
import { findModel, requireType } from '../inference/resolve-model.ts'
import type { BodyReader, CallReader } from '../wire/dialect.ts'
import type { KeyHolder } from './authenticate.ts'
import { billingUrl } from './billing-url.ts'
import { toError } from './bodies/parse-body.ts'
import type { Exchange } from './services.ts'

export interface AcceptedCall<Call> {
  readonly call: Call
  readonly resolved: ResolvedModel
}

export interface AcceptOptions<Call> {
  readonly reader: BodyReader<Call>
  readonly types: readonly ModelType[]
  readonly isFree?: boolean
}

/**
 * What is asked of which model, which has to be of one of these types. What costs little is checked first: money, the
 * body's bounds, JSON, model, its type, the other fields. Throws ApiError.
 */
export async function acceptCall<Call>(
  exchange: Exchange,
  holder: KeyHolder,
  { reader, types, isFree = false }: AcceptOptions<Call>,
): Promise<AcceptedCall<Call>> {
  const { request, record, services } = exchange
  const { accountId } = holder
  const isPenniless = !requireFunds({
    payer: holder,
    types,
    isFree,
    till: services.till,
    entries: () => services.catalog.entries(),
    billingUrl: billingUrl(exchange.baseUrl),
  })
  // The intake has a time limit of its own.
  exchange.limitSilence(false)
  const findItem = (id: string) => services.recentItems.find(accountId, id)
  const body = await exchange.intake.take(request, reader, { accountId, isPenniless }, findItem)
  const resolved = findModel(services.catalog, body.modelId)
  record.model = resolved.entry.manifest.id
  requireType(resolved, types, reader.endpoint)
  if ('refusal' in body.fields) throw toError(body.fields.refusal)
  // Made by this very reader, perhaps in the thread that parses.
  const call = body.fields.call as Call
  return { call, resolved }
}

/** What `work` resolves to. An engine's error about the conversation names the field that the caller knows. */
export function inTermsOf<Result>(reader: CallReader<unknown>, work: Promise<Result>): Promise<Result> {
  return withCallersParam((param) => (param === 'messages' ? reader.conversationField : param), work)
}

/** What `work` resolves to. An engine's error names the field as its caller knows it, in its message too. */
export async function withCallersParam<Result>(
  toCallersParam: (param: string) => string,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ApiError) || error.param === undefined) throw error
    const param = toCallersParam(error.param)
    const message = error.message.replaceAll(`'${error.param}'`, `'${param}'`)
    throw new ApiError(error.kind, message, { ...error, cause: error.cause, param })
  }
}

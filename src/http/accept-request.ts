import type { ResolvedModel } from '../catalog/catalog.ts'
import { ownerOf } from '../core/owner.ts'
import type { AudioFile } from '../core/speech.ts'
import type { Bill } from '../inference/bill.ts'
import { requireFunds } from '../inference/require-funds.ts'
import type { BodyReader, WorkCall } from '../wire/dialect.ts'
import { acceptForm, type FormServices, findServed } from './accept-form.ts'
import type { KeyHolder } from './authenticate.ts'
import { parseFields, toError } from './bodies/parse-body.ts'
import type { Exchange } from './exchange.ts'
import type { Admission } from './limits.ts'
import { billingUrl } from './page-urls.ts'
import type { Cancellation } from './payment.ts'
import { type MediaServices, type ReceivedMedia, receiveMedia } from './receive-media.ts'
import { findTranscriber } from './transcribe-sounds.ts'
import type { RequestProgress } from './upload-progress.ts'

/** Services by which requests for models are accepted. */
export type RequestServices = FormServices | MediaServices | 'recentItems'

/** Holder of a key who sends a request. */
interface AskingHolder extends KeyHolder {
  readonly ending: Cancellation
  /** Limits of the request. Undefined if it has none. */
  readonly admission: Admission | undefined
}

interface AcceptedRequest<Call> {
  readonly call: Call
  readonly resolved: ResolvedModel
  /** Recording of the body, if it has one. */
  readonly audio?: AudioFile
  /** Bill that holds money for the recording. */
  readonly bill?: Bill
  /** Pictures of the messages, if they have any. */
  readonly images?: ReceivedMedia['images']
  /** Recordings of the messages, if they have any. */
  readonly sounds?: ReceivedMedia['sounds']
  /** Documents of the messages, if they have any. */
  readonly documents?: ReceivedMedia['documents']
  readonly documentPages?: ReceivedMedia['documentPages']
}

/**
 * Reads a request for a model. Cheap checks come first: money, the body's bounds, JSON or form, the model, its type,
 * the other fields, then pictures, recordings and documents, whose files last as long as the request. Throws ApiError.
 */
export async function acceptRequest<Call extends WorkCall>(
  exchange: Exchange<RequestServices>,
  { ending, admission, ...holder }: AskingHolder,
  reader: BodyReader<Call>,
  progress?: Pick<RequestProgress, 'decoding'>,
): Promise<AcceptedRequest<Call>> {
  const { request, services } = exchange
  const { owner } = holder
  const { file } = reader
  const hasFunds = requireFunds(holder, reader.kind, {
    till: services.till,
    entries: () => services.catalog.entries(),
    billingUrl: billingUrl(exchange.baseUrl),
  })
  // The intake has a separate time limit.
  exchange.limitSilence(false)
  // All accounts without funds together count as one.
  const sender = hasFunds ? owner : unfunded
  if (file !== undefined)
    return await acceptForm(exchange, { ...holder, sender, ending, admission }, { ...reader, file }, progress)
  const findItem = (id: string) => services.recentItems.find(owner, id)
  using body =
    request.method === 'POST'
      ? await exchange.intake.take(request, reader, { owner, hasFunds }, findItem)
      : { ...parseFields(reader, queryOf(exchange)), [Symbol.dispose]: () => undefined }
  const resolved = findServed(exchange, body.modelId, reader, admission)
  if ('refusal' in body.fields) throw toError(body.fields.refusal)
  // The call has this type because this reader made it, perhaps in the parsing thread.
  const call = body.fields.call as Call
  const media = await receiveMedia(exchange, body.fields, {
    sender,
    cacheOwner: owner,
    model: resolved.entry,
    sizesOnly: reader.kind === 'count',
    transcribes: () => reader.kind === 'chat' && findTranscriber(services) !== undefined,
    onStored: () => body[Symbol.dispose](),
  })
  return { call, resolved, ...media }
}

const unfunded = ownerOf({ accountId: 'unfunded' })

function queryOf({ url }: Exchange): object {
  return Object.fromEntries(url.searchParams)
}

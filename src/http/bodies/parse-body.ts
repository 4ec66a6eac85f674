import { type SentSound, takeSounds } from '../../audio/sent/sent-sounds.ts'
import type { ChatRequest } from '../../core/chat.ts'
import { ApiError, type ErrorData, errorData, fromErrorData } from '../../core/errors.ts'
import { type SentDocument, takeDocuments } from '../../documents/sent-documents.ts'
import { type SentImage, takeImages } from '../../images/sent-images.ts'
import { parseModelId, parseOptionalModelId } from '../../wire/check.ts'
import type { BodyReader, FindItem } from '../../wire/dialect.ts'
import { parseJson } from './parse-json.ts'

/** Parsed body as plain data that can be sent between threads. */
export interface ParsedBody {
  /** Undefined if the body names none, where it need not. */
  readonly modelId: string | undefined
  /** Other fields, or their refusal. An unknown model is reported before it. */
  readonly fields: ParsedFields | { readonly refusal: Refusal }
}

interface ParsedFields {
  /** Work with placeholders for the pictures, documents and recordings in its messages. */
  readonly call: unknown
  readonly images: readonly SentImage[]
  readonly documents: readonly SentDocument[]
  readonly sounds: readonly SentSound[]
}

/** Thrown error as plain data. */
export type Refusal = ErrorData | { readonly kind: 'bug'; readonly message: string }

/** Throws ApiError 400 if the bytes are not JSON or name no model. */
export function parseBody(reader: BodyReader<unknown>, bytes: Uint8Array, findItem: FindItem): ParsedBody {
  return parseFields(reader, parseJson(bytes), findItem)
}

/** Parses the fields of a body or a query. Throws ApiError 400 if they name no model. */
export function parseFields(reader: BodyReader<unknown>, body: unknown, findItem?: FindItem): ParsedBody {
  const modelId = reader.isModelOptional === true ? parseOptionalModelId(body) : parseModelId(body)
  try {
    return { modelId, fields: withoutMedia(reader.parse(body, findItem)) }
  } catch (error) {
    return { modelId, fields: { refusal: toRefusal(error) } }
  }
}

function withoutMedia(call: unknown): ParsedFields {
  const { request } = call as { readonly request: object } // every reader returns a call of its kind
  if (!('messages' in request)) return { call, images: [], documents: [], sounds: [] }
  const { request: rest, images } = takeImages(request as ChatRequest)
  const { request: silent, sounds } = takeSounds(rest)
  const taken = takeDocuments(silent)
  return { call: { ...(call as object), request: taken.request }, images, documents: taken.documents, sounds }
}

export function toRefusal(error: unknown): Refusal {
  if (error instanceof ApiError) return errorData(error)
  return { kind: 'bug', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

export function toError(refusal: Refusal): Error {
  return refusal.kind === 'bug' ? new Error(refusal.message) : fromErrorData(refusal)
}

import { ApiError, type ErrorData, errorData, fromErrorData } from '../../core/errors.ts'
import { parseModelId } from '../../wire/check.ts'
import type { BodyReader, FindItem } from '../../wire/dialect.ts'
import { parseJson } from './parse-json.ts'

/** A parsed body, as plain data that a thread can send. */
export interface ParsedBody {
  readonly modelId: string
  /** The other fields. An unknown model is reported before their refusal. */
  readonly fields: { readonly call: unknown } | { readonly refusal: Refusal }
}

/** What was thrown, as plain data. */
export type Refusal = ErrorData | { readonly kind: 'bug'; readonly message: string }

/** Throws ApiError 400 when the bytes are not JSON or name no model. */
export function parseBody(reader: BodyReader<unknown>, bytes: Uint8Array, findItem: FindItem): ParsedBody {
  const body = parseJson(bytes)
  const modelId = parseModelId(body)
  try {
    return { modelId, fields: { call: reader.parse(body, findItem) } }
  } catch (error) {
    return { modelId, fields: { refusal: toRefusal(error) } }
  }
}

export function toRefusal(error: unknown): Refusal {
  if (error instanceof ApiError) return errorData(error)
  return { kind: 'bug', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

export function toError(refusal: Refusal): Error {
  return refusal.kind === 'bug' ? new Error(refusal.message) : fromErrorData(refusal)
}

import { ApiError } from '../core/errors.ts'

/**
 * Fields that cannot be ignored, because the answer would not be the requested one. `words` end the sentence "'field'
 * is not supported".
 */
export type UnsupportedFields = Readonly<
  Record<string, { readonly words: string; readonly isHarmless?: (value: unknown) => boolean }>
>

/**
 * Throws ApiError 400 `unsupported_parameter` for the first of these fields that is present, unless its value has no
 * effect. Unknown fields are ignored, because every real client sends some.
 */
export function refuseUnsupported(body: Readonly<Record<string, unknown>>, fields: UnsupportedFields): void {
  for (const [param, { words, isHarmless }] of Object.entries(fields)) {
    if (body[param] !== undefined && isHarmless?.(body[param]) !== true) throw unsupportedParameter(param, words)
  }
}

/** Returns the error. `words` end the sentence "'param' is not supported". */
export function unsupportedParameter(param: string, words: string): ApiError {
  const message = `'${param}' is not supported${words}`
  return new ApiError('invalid_request', message, { code: 'unsupported_parameter', param })
}

const defaultWords = ', which this model does not take. Send text.'

/**
 * Returns the error for a part of a message that no model here takes. `what` names it, for example "of type 'file'";
 * `words` end the sentence.
 */
export function unsupportedContent(param: string, what: string, words = defaultWords): ApiError {
  const message = `'${param}' is ${what}${words}`
  return new ApiError('invalid_request', message, { code: 'unsupported_content', param })
}

export function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

import { ApiError } from '../../core/errors.ts'

/** Per field that would change the meaning of a request if ignored: whether this value of it can be ignored. */
const harmless: Readonly<Record<string, (value: unknown) => boolean>> = {
  functions: isEmptyArray,
  function_call: (value) => value === 'none' || value === 'auto',
  audio: never,
  modalities: (value) => Array.isArray(value) && value.every((modality) => modality === 'text'),
  web_search_options: never,
}

/**
 * Throws ApiError 400 `unsupported_parameter` for the first field that is known, not supported, and would silently
 * change the answer's meaning. Fields nobody knows are ignored: every real client sends some.
 */
export function refuseUnsupported(body: Readonly<Record<string, unknown>>): void {
  for (const [field, isHarmless] of Object.entries(harmless)) {
    if (body[field] !== undefined && !isHarmless(body[field])) refuse(field)
  }
}

/** Throws ApiError 400 `unsupported_parameter` for the field at `param`. */
export function refuse(param: string): never {
  throw new ApiError('invalid_request', `'${param}' is not supported by this server in this form. Leave it out.`, {
    code: 'unsupported_parameter',
    param,
  })
}

function isEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function never(): boolean {
  return false
}

import { ApiError } from '../../core/errors.ts'

/** Per field of other services that asks for other vectors than there are: whether this value of it can be ignored. */
const harmless: Readonly<Record<string, (value: unknown) => boolean>> = {
  output_dtype: isFloat,
  embedding_type: isFloat,
  embedding_types: (value) => Array.isArray(value) && value.every(isFloat),
  late_chunking: (value) => value === false,
}

/** Throws ApiError 400 `unsupported_parameter`. Fields nobody knows are ignored. */
export function refuseUnsupported(body: Readonly<Record<string, unknown>>): void {
  for (const [field, isHarmless] of Object.entries(harmless)) {
    if (body[field] === undefined || isHarmless(body[field])) continue
    const message = `'${field}' is not supported by this server in this form: vectors are of float32, one a text. Leave it out.`
    throw new ApiError('invalid_request', message, { code: 'unsupported_parameter', param: field })
  }
}

function isFloat(value: unknown): boolean {
  return value === 'float'
}

import { ApiError } from '../../core/errors.ts'
import { invalidValue } from '../check.ts'

const longestName = 256

/** A tool's name. Throws ApiError 400 when it is missing or has characters that models and clients stumble over. */
export function parseToolName(name: unknown, path: string): string {
  const param = `${path}.name`
  if (name === undefined) {
    throw new ApiError('invalid_request', `'${param}' is required: it must be ${expected}.`, {
      code: 'missing_required_parameter',
      param,
    })
  }
  if (typeof name !== 'string' || name.length > longestName || !/^[a-zA-Z0-9_.-]+$/.test(name)) {
    throw invalidValue(param, expected)
  }
  return name
}

const expected = `a string of 1 to ${longestName} letters, digits, dots, dashes and underscores`

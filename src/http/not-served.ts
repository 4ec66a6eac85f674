/** Errors for unknown addresses and unsupported methods. */
import { ApiError } from '../core/errors.ts'

/** Returns ApiError 404 for an unknown path. */
export function notFound(path: string): ApiError {
  const message = `There is nothing at ${path.slice(0, 100)}. Endpoints begin with /v1/, like /v1/models.`
  return new ApiError('not_found', message, { code: 'not_found' })
}

/** Returns ApiError 405 for a path that serves other methods. */
export function methodNotAllowed(method: string, allowed: readonly string[]): ApiError {
  return new ApiError(
    'method_not_allowed',
    `${method} is not possible at this path. Possible: ${allowed.join(', ')}.`,
    {
      code: 'method_not_allowed',
    },
  )
}

import { ApiError } from './errors.ts'

/**
 * Returns ApiError 400 `invalid_schema`. `path` is the dotted path of the whole schema in the request, `place` the
 * place within it.
 */
export function invalidSchema(path: string, place: string, problem: string): ApiError {
  const where = place === '' ? '' : ` at '${shorten(place)}'`
  return new ApiError('invalid_request', `'${path}' is not a schema that can be used${where}: ${problem}.`, {
    code: 'invalid_schema',
    param: path,
  })
}

const longestPlace = 200

function shorten(place: string): string {
  const shown = place.length > longestPlace ? `${place.slice(0, longestPlace)}…` : place
  return shown.toWellFormed()
}

import { Type } from '@sinclair/typebox'
import { invalidValue } from '../check.ts'
import { limits } from '../limits.ts'

const { most } = limits.stopStrings

/** Schema of `stop` in the dialects where one string needs no array. */
export const stopField = Type.Optional(
  Type.Union([Type.String(), Type.Array(Type.String())], {
    description: `a string or an array of up to ${most} strings`,
  }),
)

/**
 * Returns the distinct stop strings of a checked field. Drops empty ones: they would stop everything, and clients send
 * them for "none". Throws ApiError 400 for too many.
 */
export function stopStrings(stop: string | readonly string[] = [], param = 'stop'): string[] {
  const texts = [stop].flat().map((text) => text.toWellFormed())
  const different = [...new Set(texts)].filter((text) => text !== '')
  if (different.length > most) throw invalidValue(param, `an array of up to ${most} different strings`)
  return different
}

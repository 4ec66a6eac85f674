import type { JsonObject } from '../../core/json.ts'
import { isDeeperThan } from '../chat/json-depth.ts'
import { wellFormed } from '../chat/well-formed.ts'
import { checkAlternatives } from './check-alternatives.ts'
import { checkNesting } from './check-nesting.ts'
import { invalidSchema } from './schema-error.ts'
import { schemaLimits } from './schema-limits.ts'
import { translateSchema } from './translate-schema.ts'
import { Translation } from './translation.ts'

export interface CheckSchemaOptions {
  /** Dotted place of the schema in the request body. */
  readonly path: string
  /** The caller insists that every keyword holds: one that a grammar cannot hold is refused instead of dropped. */
  readonly isStrict: boolean
}

/**
 * The schema as far as an answer can be held to it, in the keywords that the grammar compiler understands; every value
 * that fits the result fits the original, but for what had to be dropped. Throws ApiError 400 `invalid_schema` saying
 * what is wrong and where: no schema, too deep, too large, a reference to nothing or to itself, or, when strict, a
 * keyword that is not supported.
 */
export function checkSchema(value: unknown, options: CheckSchemaOptions): JsonObject {
  const { path } = options
  const given = value === true ? {} : value
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalidSchema(path, '', 'it must be an object')
  }
  if (isDeeperThan(given, schemaLimits.depth)) {
    throw invalidSchema(path, '', `it is nested deeper than ${schemaLimits.depth}`)
  }
  const characters = schemaSize(given)
  if (characters > schemaLimits.characters) {
    throw invalidSchema(path, '', `it has more than ${schemaLimits.characters} characters`)
  }
  const root = wellFormed(given as JsonObject) // it came from JSON
  const translation = new Translation(root, characters, options)
  const schema = translateSchema(root, { path: '', depth: 0 }, translation)
  const definitions = translation.definitions((part, place) => {
    return translateSchema(part, { path: place, depth: 1 }, translation)
  })
  const whole = Object.keys(definitions).length === 0 ? schema : { ...schema, $defs: definitions }
  checkAlternatives(whole, path)
  checkNesting(whole, path)
  return whole
}

/** Characters of a schema's JSON text. The schema must not be nested deeply. */
export function schemaSize(schema: object): number {
  return JSON.stringify(schema).length
}

import type { JsonObject, JsonValue } from '../../../core/json.ts'
import { fromEntries, hasConstraints, hintsOf, without } from './keywords.ts'
import { mergeSchemas } from './merge-schemas.ts'
import type { Place } from './translation.ts'

/** A schema without `allOf`: either a reference, or everything joined into one. */
type FlatSchema =
  | { readonly kind: 'reference'; readonly reference: string; readonly hints: JsonObject }
  | { readonly kind: 'plain'; readonly schema: JsonObject }
  /** Joined from several places. May contain itself. */
  | { readonly kind: 'joined'; readonly schema: JsonObject }

/**
 * Resolves `allOf`, and `$ref` with other constraints beside it. Throws ApiError 400 for a schema that contains itself.
 */
export async function flattenSchema(schema: JsonObject, place: Place): Promise<FlatSchema> {
  if (schema.$ref === undefined && schema.allOf === undefined) return { kind: 'plain', schema }
  const parts = partsOf(schema, place)
  const limiting = parts.filter((part) => hasConstraints(part.schema))
  const [only] = limiting
  const hints = fromEntries(parts.toReversed().flatMap((part) => hintsOf(part.schema)))
  if (only === undefined) return { kind: 'plain', schema: hints }
  if (limiting.length === 1 && typeof only.schema.$ref === 'string') {
    return { kind: 'reference', reference: only.schema.$ref, hints }
  }
  const joined = await joinParts(limiting)
  if (joined === undefined) place.unsupported('allOf', 'no value fits all of it')
  const { format = hints.format } = joined ?? {}
  return { kind: 'joined', schema: { ...joined, ...hints, ...(format !== undefined && { format }) } }
}

/** Returns one schema, without `allOf`, for the values that all schemas allow; undefined when there are none. */
export function joinSchemas(schemas: readonly JsonObject[], place: Place): Promise<JsonObject | undefined> {
  return joinParts(schemas.flatMap((schema) => partsOf(schema, place)))
}

async function joinParts(parts: readonly Part[]): Promise<JsonObject | undefined> {
  let joined: JsonObject | undefined = {}
  for (const { schema, place } of expand(parts, new Set())) {
    await place.pause()
    joined = mergeSchemas(joined, schema, (keyword) =>
      place.unsupported(keyword, 'it cannot be joined with the schemas beside it'),
    )
    if (joined === undefined) return undefined
  }
  return joined
}

interface Part {
  readonly schema: JsonObject
  readonly place: Place
}

/** Returns the schemas that `allOf` and its siblings combine; none has `allOf`, and `$ref` stands alone. */
function partsOf(schema: JsonObject, place: Place): Part[] {
  place.step()
  const parts: Part[] = []
  const beside = without(schema, '$ref', 'allOf')
  if (Object.keys(beside).length > 0) parts.push({ schema: beside, place })
  if (schema.$ref !== undefined) parts.push({ schema: { $ref: schema.$ref }, place })
  if (schema.allOf === undefined) return parts
  const joined: readonly JsonValue[] = Array.isArray(schema.allOf) ? schema.allOf : []
  joined.forEach((item, index) => {
    const itemPlace = place.below(`allOf[${index}]`)
    parts.push(...partsOf(itemPlace.asSchema(item), itemPlace))
  })
  return parts
}

/** Replaces references by their targets. `open` holds the references on the way here. */
function expand(parts: readonly Part[], open: ReadonlySet<string>): Part[] {
  return parts.flatMap((part) => {
    const { place } = part
    if (part.schema.$ref === undefined) return part
    const { schema, pointer } = place.resolve(part.schema.$ref)
    if (open.has(pointer)) {
      place.unsupported('$ref', 'it refers to itself without anything in between')
      return []
    }
    return expand(partsOf(schema, place), new Set([...open, pointer]))
  })
}

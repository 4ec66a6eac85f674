import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts'
import { keywordRows } from './keyword-table.ts'

/** Longest text of an outline, in characters. */
const maxCharacters = 1_000

/**
 * Returns the upper levels of a schema: what stands deeper, and all references, are left to the model. At 0 levels it is any
 * value. No text is long.
 */
export function outlineOf(schema: JsonObject, levels: number): JsonObject {
  const kept: Record<string, JsonValue> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    const kinds = keywordRows.get(keyword)?.values
    if (kinds === undefined || keyword === '$ref' || keyword === '$defs' || keyword === 'definitions') continue
    if (JSON.stringify(value).length <= maxCharacters && !kinds.some((kind) => kind.includes('schema'))) {
      if (levels > 0 || keyword === 'description') kept[keyword] = value
    } else if (levels > 0 && (keyword === 'properties' || keyword === 'items')) {
      if (keyword === 'properties' && isObject(value)) {
        kept.properties = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, below(part, levels)]))
      } else if (isObject(value)) kept.items = below(value, levels)
    }
  }
  // Properties whose names cannot be held must stay possible.
  return kept.properties === undefined ? kept : { ...kept, additionalProperties: true }
}

function below(part: JsonValue, levels: number): JsonValue {
  return isObject(part) ? outlineOf(part, levels - 1) : part
}

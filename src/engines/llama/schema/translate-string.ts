import type { JsonObject } from '../../../core/json.ts'
import { countLimits, counts } from './translate-array.ts'
import type { Entries, Place } from './translation.ts'

/** Translates the keywords of texts. The grammar gets its rules later (`held-schema.ts`): here they are checked. */
export function translateString(schema: JsonObject, place: Place): Entries {
  const lengths = countLimits(schema, 'Length', place)
  const { pattern, format } = schema
  const held = counts('Length', lengths.least, lengths.most)
  const limits = { pattern: textOf(pattern), format: textOf(format), lengths }
  if (limits.pattern === undefined && limits.format === undefined) return held
  const form = place.textForm(limits)
  if (form === undefined) {
    place.unsupported(limits.pattern === undefined ? 'format' : 'pattern', 'with the others it is too complex')
    return held
  }
  for (const { keyword, why } of form.left) place.unsupported(keyword, why)
  return form.rules === undefined || limits.pattern === undefined ? held : [['pattern', limits.pattern], ...held]
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

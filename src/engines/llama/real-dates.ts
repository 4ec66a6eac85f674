/** llama.cpp's grammars know how dates look, but not how long each month is: patterns say that. */
import type { JsonObject, JsonValue } from '../../core/json.ts'

/** The 29th of February is left out: whether there is one hangs on the year. */
const date =
  '[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))'
const time = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{3})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])'
const patterns: Readonly<Record<string, string>> = { date: `^${date}$`, 'date-time': `^${date}T${time}$` }

/** Members that hold values and no schemas. */
const values = new Set(['const', 'enum', 'default', 'examples'])

/** The same schema with dates that exist. */
export function withRealDates(schema: JsonObject): JsonObject {
  const { format, type = 'string', pattern } = schema
  const real = typeof format === 'string' && type === 'string' && pattern === undefined ? patterns[format] : undefined
  const members = Object.entries(schema).map(([name, value]) => [name, values.has(name) ? value : inside(value)])
  const { format: _, ...rest } = Object.fromEntries(members)
  return real === undefined ? Object.fromEntries(members) : { ...rest, type, pattern: real }
}

function inside(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inside)
  return typeof value === 'object' && value !== null ? withRealDates(value as JsonObject) : value // no array, as seen
}

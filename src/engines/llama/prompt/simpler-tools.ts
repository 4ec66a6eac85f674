/** Tools in words that every template knows: some fail on parameters without a plain type. */
import type { Tool } from '../../../core/chat.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts'

/** The same tools, each parameter with nothing but one type, its description and its values. */
export function simplerTools(tools: readonly Tool[]): Tool[] {
  return tools.map((tool) => {
    const { properties, required } = tool.parameters
    const members = isObject(properties) ? Object.entries(properties) : []
    const simple = Object.fromEntries(members.map(([name, schema]) => [name, simpler(schema)]))
    return { ...tool, parameters: { type: 'object', properties: simple, ...(Array.isArray(required) && { required }) } }
  })
}

function simpler(schema: JsonValue): JsonObject {
  if (!isObject(schema)) return { type: 'string' }
  const { description, enum: values } = schema
  const isOfText = Array.isArray(values) && values.every((value) => typeof value === 'string')
  return {
    type: isOfText ? 'string' : plainType(schema),
    ...(typeof description === 'string' && { description }),
    ...(isOfText && { enum: values }),
  }
}

/** The first type that a value may have besides null. */
function plainType({ type, anyOf, oneOf }: JsonObject): string {
  const types = Array.isArray(type) ? type : [type]
  const named = types.find((name) => typeof name === 'string' && name !== 'null')
  if (typeof named === 'string') return named
  const choice = anyOf ?? oneOf
  for (const item of Array.isArray(choice) ? choice : []) {
    if (isObject(item) && item.type !== 'null') return plainType(item)
  }
  return 'string'
}

/** Simpler forms of tools: some templates fail on parameters without a plain type, some on lists of anything. */
import type { Tool } from '../../../core/chat.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts'

/**
 * Returns the tools in ever simpler forms: first each list names its items, even if any; then each parameter has one
 * type, its description and its values alone; then lists have no type, since some templates refuse all lists.
 */
export function simplerForms(tools: readonly Tool[]): Tool[][] {
  return [
    tools.map((tool) => ({ ...tool, parameters: filled(tool.parameters) })),
    flatTools(tools, { type: 'array', items: {} }),
    flatTools(tools, {}),
  ]
}

function filled(schema: JsonObject): JsonObject {
  const { type, items } = schema
  const isBareList = items === undefined && (type === 'array' || (Array.isArray(type) && type.includes('array')))
  const members = Object.entries(schema).map(([name, value]) => [name, filledValue(value)])
  return { ...Object.fromEntries(members), ...(isBareList && { items: {} }) }
}

function filledValue(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(filledValue)
  return isObject(value) ? filled(value) : value
}

function flatTools(tools: readonly Tool[], list: JsonObject): Tool[] {
  return tools.map((tool) => {
    const { properties, required } = tool.parameters
    const members = isObject(properties) ? Object.entries(properties) : []
    const flat = Object.fromEntries(members.map(([name, schema]) => [name, flatSchema(schema, list)]))
    return { ...tool, parameters: { type: 'object', properties: flat, ...(Array.isArray(required) && { required }) } }
  })
}

function flatSchema(schema: JsonValue, list: JsonObject): JsonObject {
  if (!isObject(schema)) return { type: 'string' }
  const { description, enum: values } = schema
  const isOfText = Array.isArray(values) && values.every((value) => typeof value === 'string')
  const type = isOfText ? 'string' : plainType(schema)
  return {
    ...(type === 'array' ? list : { type }),
    ...(typeof description === 'string' && { description }),
    ...(isOfText && { enum: values }),
  }
}

/** Returns the first type that a value may have besides null. */
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

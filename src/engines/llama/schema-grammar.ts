/** Which schemas an answer or a call can be held to. */
import type { Tool } from '../../core/chat.ts'
import { ApiError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { NativeModel } from './native.ts'
import { withRealDates } from './real-dates.ts'
import { mostWays, waysOf } from './schema-ways.ts'

type Converter = Pick<NativeModel, 'schemaGrammar'>

/** GBNF of a schema. Throws ApiError `invalid_schema` for what no grammar can hold. */
export async function schemaGrammar(model: Converter, schema: JsonObject): Promise<string> {
  if (waysOf(schema) > mostWays) throw unenforceable('its choices lead to too many ways to read one text')
  try {
    return await model.schemaGrammar(JSON.stringify(withRealDates(schema)))
  } catch (error) {
    throw unenforceable(error instanceof Error ? error.message : String(error), error)
  }
}

/**
 * The tools as grammars see them. Of one whose parameters no grammar can hold only the names of the parameters stay: it
 * can be called all the same, with any values.
 */
export function enforceableTools(model: Converter, tools: readonly Tool[]): Promise<Tool[]> {
  return Promise.all(
    tools.map(async (tool) => {
      try {
        await schemaGrammar(model, tool.parameters)
        return tool
      } catch {
        return { ...tool, parameters: withNamesOnly(tool.parameters) } // says so itself
      }
    }),
  )
}

function withNamesOnly({ properties, required }: JsonObject): JsonObject {
  const isNamed = typeof properties === 'object' && properties !== null && !Array.isArray(properties)
  const names = isNamed ? Object.keys(properties) : []
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, {}])),
    ...(Array.isArray(required) && { required: required.filter((name) => names.includes(String(name))) }),
  }
}

function unenforceable(words: string, cause?: unknown): ApiError {
  return new ApiError('invalid_request', `This schema cannot be enforced: ${words}`, { code: 'invalid_schema', cause })
}

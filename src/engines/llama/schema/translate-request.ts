/** Schemas of callers in the words of llama.cpp's grammar converter. Every other engine gets them as they were written. */
import type { ChatRequest, SchemaOrigin, Tool } from '../../../core/chat.ts'
import { ApiError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json.ts'
import { invalidSchema } from '../../../core/schema-error.ts'
import { checkAlternatives, checkNesting } from './check-translated.ts'
import type { Pauses } from './pauses.ts'
import { schemaLimits } from './schema-limits.ts'
import { translatePart } from './translate-part.ts'
import { Place } from './translation.ts'

/**
 * The request with schemas that the converter can hold. Throws ApiError 400 for a schema that it cannot, naming the place
 * in the caller's request.
 */
export async function withTranslatedSchemas(request: ChatRequest, pauses: Pauses): Promise<ChatRequest> {
  const tools: Tool[] = []
  let characters = 0
  for (const tool of request.tools) {
    const translated = await translateTool(tool, pauses)
    characters += JSON.stringify(translated.parameters).length
    if (characters > schemaLimits.charactersOfTools) {
      const words = `tools whose parameters have at most ${schemaLimits.charactersOfTools} characters together`
      throw new ApiError('invalid_request', `'tools' must be ${words}.`, { code: 'invalid_value', param: 'tools' })
    }
    tools.push(translated)
  }
  const { answerSchema, answerSchemaOrigin: origin } = request
  if (answerSchema === undefined || origin === undefined) return { ...request, tools }
  return { ...request, tools, answerSchema: await translateSchema(answerSchema, origin, pauses) }
}

async function translateTool(tool: Tool, pauses: Pauses): Promise<Tool> {
  const { name, description, parameters, parametersOrigin: origin } = tool
  if (origin === undefined) return tool
  // Many schemas leave it to the reader that arguments are an object.
  const told = parameters.type === undefined ? { ...parameters, type: 'object' } : parameters
  const schema = await translateSchema(told, origin, pauses)
  if (![schema.type].flat().includes('object')) {
    throw invalidSchema(origin.path, '', "the arguments of a tool are an object: its type must be 'object'")
  }
  // Prompt templates want properties, and those alone would close an object of any kind for the converter.
  const isOpen = schema.properties === undefined && schema.additionalProperties === undefined
  const openness = isOpen ? { additionalProperties: true } : {}
  return {
    name,
    ...(description === undefined ? {} : { description }),
    parameters: { ...schema, type: 'object', properties: schema.properties ?? {}, ...openness },
  }
}

/**
 * The schema as far as an answer can be held to it, in the keywords that the converter understands. Every value that fits
 * the result fits the original, except for what had to be dropped. Throws ApiError 400 `invalid_schema` saying what is
 * wrong and where.
 */
export async function translateSchema(root: JsonObject, origin: SchemaOrigin, pauses: Pauses): Promise<JsonObject> {
  const place = Place.root(root, origin, pauses)
  const schema = await translatePart(root, place)
  const definitions: [string, JsonObject][] = []
  for (const { name, schema, place: at } of place.definitions())
    definitions.push([name, await translatePart(schema, at)])
  const whole = definitions.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(definitions) }
  checkAlternatives(whole, origin.path)
  checkNesting(whole, origin.path)
  return whole
}

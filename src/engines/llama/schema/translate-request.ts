/** Translates callers' schemas for llama.cpp's grammar converter. Every other engine gets them unchanged. */
import type { ChatRequest, SchemaOrigin, Tool } from '../../../core/chat.ts'
import { ApiError } from '../../../core/errors.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../core/json.ts'
import { invalidSchema } from '../../../core/schema-error.ts'
import { checkAlternatives, checkNesting } from './check-translated.ts'
import { keywordRows } from './keyword-table.ts'
import type { Pauses } from './pauses.ts'
import { schemaLimits } from './schema-limits.ts'
import { soundSchema } from './sound-schema.ts'
import { translatePart } from './translate-part.ts'
import { Place } from './translation.ts'

/**
 * Returns the request with schemas that the converter can enforce. Throws ApiError 400 for a strict one that it cannot,
 * naming the place in the caller's request.
 */
export async function withTranslatedSchemas(request: ChatRequest, pauses: Pauses): Promise<ChatRequest> {
  const tools: Tool[] = []
  let charactersLeft: number = schemaLimits.charactersOfTools
  /** All further tools are reduced to an outline. */
  let isFull = false
  for (const tool of request.tools) {
    const isWhole = !isFull || tool.parametersOrigin?.isStrict !== false
    let translated = await translateTool(isWhole ? tool : inOutline(tool), pauses)
    if (sizeOf(translated) > charactersLeft && tool.parametersOrigin?.isStrict === false) {
      isFull = true
      translated = await translateTool(inOutline(tool), pauses)
    }
    charactersLeft -= sizeOf(translated)
    if (charactersLeft < 0) {
      const words = `tools whose parameters have at most ${schemaLimits.charactersOfTools} characters together`
      throw new ApiError('invalid_request', `'tools' must be ${words}.`, { code: 'invalid_value', param: 'tools' })
    }
    tools.push(translated)
  }
  const { answerSchema, answerSchemaOrigin: origin } = request
  if (answerSchema === undefined || origin === undefined) return { ...request, tools }
  return { ...request, tools, answerSchema: await translateSchema(answerSchema, origin, pauses) }
}

function inOutline(tool: Tool): Tool {
  return { ...tool, parameters: outlineOf(tool.parameters, 1) }
}

function sizeOf({ parameters }: Tool): number {
  return JSON.stringify(parameters).length
}

async function translateTool(tool: Tool, pauses: Pauses): Promise<Tool> {
  const { name, description, parameters, parametersOrigin: origin } = tool
  if (origin === undefined) return tool
  const schema = await translateSchema(parameters, origin, pauses, 'arguments')
  const isOfObjects = [schema.type].flat().includes('object')
  if (!isOfObjects && origin.isStrict) {
    throw invalidSchema(origin.path, '', "the arguments of a tool are an object: its type must be 'object'")
  }
  const told: JsonObject = isOfObjects
    ? schema
    : { ...(schema.description !== undefined && { description: schema.description }) }
  // Prompt templates need properties, but for the converter they would close an object of any kind.
  const isOpen = told.properties === undefined && told.additionalProperties === undefined
  const openness = isOpen ? { additionalProperties: true } : {}
  return {
    name,
    ...(description === undefined ? {} : { description }),
    parameters: { ...told, type: 'object', properties: told.properties ?? {}, ...openness },
  }
}

/** Levels of an outline, tried in order until one is small enough. */
const outlines = [8, 4, 2, 1, 0]

/**
 * Returns the schema in keywords that the converter understands, as far as it can be enforced. Every value that fits
 * the result fits the original, except for the dropped parts; of a schema that is too large only the upper levels
 * remain. If the caller insists on the schema, throws ApiError 400 `invalid_schema` instead, with the problem and its
 * place.
 */
export async function translateSchema(
  written: JsonObject,
  origin: SchemaOrigin,
  pauses: Pauses,
  use: 'answer' | 'arguments' = 'answer',
): Promise<JsonObject> {
  const sound = soundSchema(written, origin)
  // Many schemas do not mention that arguments are an object.
  const root = use === 'arguments' && sound.type === undefined ? { ...sound, type: 'object' } : sound
  if (origin.isStrict) return translateWhole(root, origin, pauses)
  for (const levels of [Number.POSITIVE_INFINITY, ...outlines]) {
    try {
      return await translateWhole(Number.isFinite(levels) ? outlineOf(root, levels) : root, origin, pauses)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  }
  return {}
}

async function translateWhole(root: JsonObject, origin: SchemaOrigin, pauses: Pauses): Promise<JsonObject> {
  const place = Place.root(root, origin, pauses)
  const schema = await translatePart(root, place)
  const definitions: [string, JsonObject][] = []
  for (const { name, schema, place: at } of place.definitions())
    definitions.push([name, await translatePart(schema, at)])
  let whole = definitions.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(definitions) }
  for (let circular = checkAlternatives(whole, origin.path); circular.length > 0; ) {
    const [reference = ''] = circular
    if (origin.isStrict) {
      throw invalidSchema(origin.path, reference, 'it refers to itself without anything in between')
    }
    whole = { ...whole, $defs: { ...(isObject(whole.$defs) && whole.$defs), [reference.replace('#/$defs/', '')]: {} } }
    circular = checkAlternatives(whole, origin.path)
  }
  checkNesting(whole, origin.path)
  return whole
}

/** Maximum characters of a text in an outline. */
const maxCharacters = 1_000

/**
 * Returns the upper levels of a schema; deeper parts and all references are left to the model. At 0 levels any value is
 * allowed. Long texts are left out.
 */
function outlineOf(schema: JsonObject, levels: number): JsonObject {
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

/** Grammars of the schemas that answers and calls must keep to. */
import type { ChatRequest, Tool } from '../../../core/chat.ts'
import { errorText } from '../../../core/error-text.ts'
import { ApiError } from '../../../core/errors.ts'
import { isObject, type JsonObject } from '../../../core/json.ts'
import type { NativeModel } from '../native.ts'
import { literal } from '../prompt/gbnf.ts'
import { heldSchema, type SchemaMarks } from './held-schema.ts'
import { maxWays, waysOf } from './schema-ways.ts'

type Converter = Pick<NativeModel, 'schemaGrammar'>

/**
 * Returns GBNF of the requested text, to be completed by `marks`; undefined allows any text. If no grammar can enforce
 * the schema, throws ApiError `invalid_schema` for a strict one, and enforces only the type of any other.
 */
export async function textGrammar(
  model: Converter,
  { answerSchema, answerSchemaOrigin, answerChoices }: ChatRequest,
  marks: SchemaMarks,
): Promise<string | undefined> {
  if (answerChoices !== undefined) return `root ::= ${answerChoices.map(literal).join(' | ')}`
  if (answerSchema === undefined) return undefined
  try {
    return (await holdSchema(model, answerSchema, marks)).grammar
  } catch (error) {
    if (answerSchemaOrigin?.isStrict !== false) throw error
    return (await holdSchema(model, typeAlone(answerSchema), marks)).grammar
  }
}

/** Returns the type of a schema, without its other constraints. */
function typeAlone({ type }: JsonObject): JsonObject {
  if (type === 'object') return { type, additionalProperties: true }
  return type === undefined ? {} : { type }
}

async function holdSchema(model: Converter, schema: JsonObject, marks: SchemaMarks) {
  if (waysOf(schema) > maxWays) throw unenforceable('its choices lead to too many ways to read one text')
  try {
    const held = heldSchema(schema, marks)
    return { held, grammar: await model.schemaGrammar(JSON.stringify(held)) }
  } catch (error) {
    throw unenforceable(errorText(error), error)
  }
}

/**
 * Returns the tools for a grammar, to be completed by `marks`; an unchanged tool is the same object. If no grammar can
 * enforce a tool's parameters, only their names stay: calls may then have any values.
 */
export function enforceableTools(model: Converter, tools: readonly Tool[], marks: SchemaMarks): Promise<Tool[]> {
  return Promise.all(
    tools.map(async (tool) => {
      try {
        const { held } = await holdSchema(model, tool.parameters, marks)
        return Bun.deepEquals(held, tool.parameters) ? tool : { ...tool, parameters: held }
      } catch {
        return { ...tool, parameters: withNamesOnly(tool.parameters) } // says so itself
      }
    }),
  )
}

function withNamesOnly({ properties, required }: JsonObject): JsonObject {
  const names = isObject(properties) ? Object.keys(properties) : []
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, {}])),
    ...(Array.isArray(required) && { required: required.filter((name) => names.includes(String(name))) }),
  }
}

function unenforceable(words: string, cause?: unknown): ApiError {
  return new ApiError('invalid_request', `This schema cannot be enforced: ${words}`, { code: 'invalid_schema', cause })
}

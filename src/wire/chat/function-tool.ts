import { Type } from '@sinclair/typebox'
import type { Tool } from '../../core/chat.ts'
import type { JsonObject } from '../../core/json.ts'
import { check } from '../check.ts'
import { checkSchema } from '../json-schema/check-schema.ts'
import { isObject } from '../json-schema/keywords.ts'
import { invalidSchema } from '../json-schema/schema-error.ts'
import { parseToolName } from './tool-name.ts'

const Details = Type.Object({
  description: Type.Optional(Type.String({ description: 'a string' })),
  strict: Type.Optional(Type.Boolean({ description: 'true or false' })),
})

/**
 * A function that the model may call. `fields` are those that every dialect has, without nulls: `name`, `description`,
 * `parameters` and `strict`; `path` is their dotted place in the body. Throws ApiError 400, with `strict` also for
 * parameters that an answer cannot be held to.
 */
export function functionTool(
  fields: Readonly<Record<string, unknown>>,
  path: string,
  schemaField = 'parameters',
): Tool {
  const name = parseToolName(fields.name, path)
  const { description, strict } = check(Details, fields, path)
  return {
    name,
    ...(description === undefined ? {} : { description: description.toWellFormed() }),
    parameters: parseParameters(fields[schemaField], `${path}.${schemaField}`, strict ?? false),
  }
}

function parseParameters(value: unknown, path: string, isStrict: boolean): JsonObject {
  if (value === undefined || value === null) return noParameters
  if (!isObject(value)) throw invalidSchema(path, '', 'it must be an object')
  if (Object.keys(value).length === 0) return noParameters
  // Many schemas leave it to the reader that arguments are an object.
  const told = value.type === undefined ? { ...value, type: 'object' } : value
  const schema = checkSchema(told, { path, isStrict })
  if (![schema.type].flat().includes('object')) {
    throw invalidSchema(path, '', "the arguments of a tool are an object: its type must be 'object'")
  }
  // An object of any kind says so: prompt templates want properties, and those close it for the compiler.
  const isOpen = schema.properties === undefined && schema.additionalProperties === undefined
  const openness = isOpen ? { additionalProperties: true } : {}
  return { ...schema, type: 'object', properties: schema.properties ?? {}, ...openness }
}

const noParameters: JsonObject = { type: 'object', properties: {} }

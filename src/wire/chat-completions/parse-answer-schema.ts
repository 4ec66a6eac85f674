import { Type } from '@sinclair/typebox'
import type { JsonObject } from '../../core/json.ts'
import { check, presentFields } from '../check.ts'
import { checkSchema } from '../json-schema/check-schema.ts'

const ResponseFormat = Type.Object({
  type: Type.Union(
    ['text', 'json_object', 'json_schema'].map((type) => Type.Literal(type)),
    { description: '"text", "json_object" or "json_schema"' },
  ),
})

const WithSchema = Type.Object({ json_schema: Type.Unknown() }, { description: 'an object with a schema' })
const JsonSchema = Type.Object({ strict: Type.Optional(Type.Boolean({ description: 'true or false' })) })

const path = 'response_format'

/** What `response_format` asks of the answer's text; undefined for plain text. Throws ApiError 400. */
export function parseAnswerSchema(value: unknown): JsonObject | undefined {
  if (value === undefined) return undefined
  const format = presentFields(value, path)
  const { type } = check(ResponseFormat, format, path)
  switch (type) {
    case 'json_object':
      // Some servers take a schema here, by either name.
      return format.schema === undefined
        ? toSchema(format.value, `${path}.value`, false)
        : toSchema(format.schema, `${path}.schema`, false)
    case 'json_schema': {
      const inner = `${path}.json_schema`
      const fields = presentFields(check(WithSchema, format, path).json_schema, inner)
      return toSchema(fields.schema, `${inner}.schema`, check(JsonSchema, fields, inner).strict ?? false)
    }
    default:
      return undefined
  }
}

function toSchema(schema: unknown, schemaPath: string, isStrict: boolean): JsonObject {
  return schema === undefined ? { type: 'object' } : checkSchema(schema, { path: schemaPath, isStrict })
}

import { Type } from '@sinclair/typebox'
import { type AnswerForm, anyObject, fittingSchema } from '../chat/answer-form.ts'
import { check, optionalFlag, presentFields } from '../check.ts'

const ResponseFormat = Type.Object({
  type: Type.Union(
    ['text', 'json_object', 'json_schema'].map((type) => Type.Literal(type)),
    { description: '"text", "json_object" or "json_schema"' },
  ),
})

const WithSchema = Type.Object({ json_schema: Type.Unknown() }, { description: 'an object with a schema' })
const JsonSchema = Type.Object({ strict: optionalFlag })

const path = 'response_format'

/** Returns the answer's form that `response_format` requests. Throws ApiError 400. */
export function parseResponseFormat(value: unknown): AnswerForm {
  if (value === undefined) return {}
  const format = presentFields(value, path)
  const { type } = check(ResponseFormat, format, path)
  if (type === 'text') return {}
  if (type === 'json_object') {
    // Some servers accept a schema here, under either name.
    const name = format.schema === undefined ? 'value' : 'schema'
    return toForm(format[name], `${path}.${name}`, false)
  }
  const inner = `${path}.json_schema`
  const fields = presentFields(check(WithSchema, format, path).json_schema, inner)
  return toForm(fields.schema, `${inner}.schema`, check(JsonSchema, fields, inner).strict ?? false)
}

function toForm(schema: unknown, schemaPath: string, isStrict: boolean): AnswerForm {
  return schema === undefined ? anyObject : fittingSchema(schema, { path: schemaPath, isStrict })
}

import { type Static, Type } from '@sinclair/typebox'
import { type AnswerForm, anyObject, fittingSchema } from '../chat/answer-form.ts'
import { check, invalidValue, optionalAny, optionalFlag, presentFields } from '../check.ts'

const TextSettings = Type.Object({ format: optionalAny })
const Format = Type.Object({
  type: Type.String({ description: 'one of text, json_object, json_schema' }),
  schema: optionalAny,
  strict: optionalFlag,
})

/** Returns the answer's form that `text.format` requests. Ignores `text.verbosity`. Throws ApiError 400. */
export function parseTextFormat(text: unknown): AnswerForm {
  if (text === undefined) return {}
  const { format } = check(TextSettings, presentFields(text, 'text'), 'text')
  if (format === undefined) return {}
  return toForm(check(Format, presentFields(format, 'text.format'), 'text.format'))
}

function toForm({ type, schema, strict }: Static<typeof Format>): AnswerForm {
  switch (type) {
    case 'text':
      return {}
    case 'json_object':
      return anyObject
    case 'json_schema':
      if (schema === undefined) return anyObject
      return fittingSchema(schema, { path: 'text.format.schema', isStrict: strict ?? false })
    default:
      throw invalidValue('text.format.type', 'one of text, json_object, json_schema')
  }
}

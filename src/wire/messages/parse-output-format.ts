import { Type } from '@sinclair/typebox'
import { type AnswerForm, fittingSchema } from '../chat/answer-form.ts'
import { check, invalidValue, presentFields } from '../check.ts'

const Format = Type.Object({
  type: Type.String({ description: '"json_schema"' }),
  schema: Type.Unknown({ description: 'a JSON Schema' }),
})

/** The form of the answer, undefined when no format is given. Throws ApiError 400. */
export function parseOutputFormat(format: unknown, path: string): AnswerForm | undefined {
  if (format === undefined) return undefined
  const { type, schema } = check(Format, presentFields(format, path), path)
  if (type !== 'json_schema') throw invalidValue(`${path}.type`, '"json_schema"')
  // Nobody says "strict" here: what a grammar cannot hold is left to the model, as schemas made by libraries need it.
  return fittingSchema(schema, { path: `${path}.schema`, isStrict: false })
}

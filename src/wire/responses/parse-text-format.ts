import { type Static, Type } from '@sinclair/typebox'
import type { JsonObject } from '../../core/json.ts'
import { check, invalidValue, presentFields } from '../check.ts'
import { checkSchema } from '../json-schema/check-schema.ts'

const TextSettings = Type.Object({ format: Type.Optional(Type.Unknown()) })
const Format = Type.Object({
  type: Type.String({ description: 'one of text, json_object, json_schema' }),
  schema: Type.Optional(Type.Unknown()),
  strict: Type.Optional(Type.Boolean({ description: 'true or false' })),
})

const anyObject: JsonObject = { type: 'object' }

/** The schema that `text.format` holds the answer to, undefined for free text. `text.verbosity` is a hint we do not have. */
export function parseTextFormat(text: unknown): JsonObject | undefined {
  if (text === undefined) return undefined
  const { format } = check(TextSettings, presentFields(text, 'text'), 'text')
  if (format === undefined) return undefined
  return toSchema(check(Format, presentFields(format, 'text.format'), 'text.format'))
}

function toSchema({ type, schema, strict }: Static<typeof Format>): JsonObject | undefined {
  switch (type) {
    case 'text':
      return undefined
    case 'json_object':
      return anyObject
    case 'json_schema':
      if (schema === undefined) return anyObject
      return checkSchema(schema, { path: 'text.format.schema', isStrict: strict ?? false })
    default:
      throw invalidValue('text.format.type', 'one of text, json_object, json_schema')
  }
}

import { Type } from '@sinclair/typebox'
import { check, presentFields } from './check.ts'

const ModelField = Type.Object({
  model: Type.String({ minLength: 1, description: 'the id of a model; GET /models lists them' }),
})

/** Only the `model` of a body, so that an unknown model is reported before any other field. Throws ApiError 400. */
export function parseModelId(body: unknown): string {
  return check(ModelField, presentFields(body)).model
}

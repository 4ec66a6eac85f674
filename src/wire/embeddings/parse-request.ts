import { type Static, Type } from '@sinclair/typebox'
import type { EmbedRequest } from '../../core/texts.ts'
import { check, modelField, presentFields } from '../check.ts'
import type { TextsCall } from '../texts-dialect.ts'
import { parseInput } from './parse-input.ts'
import { inputTypeOf, taskFields } from './parse-input-type.ts'
import { refuseUnsupported } from './refuse-unsupported.ts'

export const EmbeddingsBody = Type.Object({
  ...modelField,
  input: Type.Unknown({ description: 'a text or an array of texts' }),
  encoding_format: Type.Optional(
    Type.Union([Type.Literal('float'), Type.Literal('base64')], { description: "'float' or 'base64'" }),
  ),
  dimensions: Type.Optional(Type.Integer({ minimum: 1, description: 'an integer of at least 1' })),
  ...taskFields,
})

export interface EmbeddingsCall extends TextsCall {
  readonly request: EmbedRequest
  readonly encodingFormat: NonNullable<Static<typeof EmbeddingsBody>['encoding_format']>
  /** `input` was one text or one array of token ids, not an array of them. */
  readonly isSingle: boolean
}

/** Translates a whole body. Throws ApiError 400 or 413 whose `param` is the dotted path of what does not fit. */
export function parseEmbeddings(body: unknown): EmbeddingsCall {
  const fields = presentFields(body)
  const { model, input, encoding_format, dimensions, ...tasks } = check(EmbeddingsBody, fields)
  refuseUnsupported(fields)
  const { inputs, isSingle } = parseInput(input)
  return {
    model,
    request: { inputs, inputType: inputTypeOf(tasks), dimensions },
    encodingFormat: encoding_format ?? 'float',
    isSingle,
  }
}

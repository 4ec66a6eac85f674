import { type Static, Type } from '@sinclair/typebox'
import { oneOf } from '../../core/schemas.ts'
import type { EmbedRequest } from '../../core/texts.ts'
import { check, invalidValue, missing, modelField, optionalAny, optionalInteger, presentFields } from '../check.ts'
import { type NumberForm, numberFormList } from '../embeddings/number-types.ts'
import { parseText } from '../embeddings/parse-input.ts'
import { inputTypeOf, parseTruncateWord } from '../embeddings/parse-request.ts'
import { requireInputCount } from '../text-counts.ts'
import type { TextsCall } from '../texts-dialect.ts'
import { unsupportedContent } from '../unsupported.ts'

const inputTypes = ['search_document', 'search_query', 'classification', 'clustering', 'image'] as const

/** Body of the second version, where `input_type` is required. */
export const CohereEmbedBody = Type.Object({
  ...modelField,
  input_type: oneOf(inputTypes, "'"),
  texts: Type.Optional(Type.Array(Type.Unknown(), { description: 'an array of texts' })),
  inputs: optionalAny,
  images: optionalAny,
  embedding_types: Type.Optional(numberFormList),
  output_dimension: optionalInteger(1),
  truncate: Type.Optional(Type.String({ description: "'NONE', 'START' or 'END'" })),
})

export const CohereEmbedBodyV1 = Type.Object({
  ...CohereEmbedBody.properties,
  input_type: Type.Optional(oneOf(inputTypes, "'")),
})

export interface CohereEmbedCall extends TextsCall {
  readonly request: EmbedRequest
  /** Texts, which the answer repeats */
  readonly texts: readonly string[]
  /** Field that the texts were sent in. */
  readonly field: 'texts' | 'inputs'
  /** Requested forms of numbers. Undefined if the body names none, which the two versions treat differently. */
  readonly forms: readonly NumberForm[] | undefined
}

/** Translates a whole body of the second version. Throws ApiError 400 or 413. */
export function parseCohereEmbed(body: unknown): CohereEmbedCall {
  return toCall(check(CohereEmbedBody, presentFields(body)))
}

/** Translates a body of the first version. Throws ApiError 400. */
export function parseCohereEmbedV1(body: unknown): CohereEmbedCall {
  return toCall(check(CohereEmbedBodyV1, presentFields(body)))
}

function toCall(fields: Static<typeof CohereEmbedBodyV1>): CohereEmbedCall {
  const { model, input_type, embedding_types = [], output_dimension } = fields
  if (input_type === 'image') throw unsupportedContent('input_type', "'image'", words)
  if (fields.images !== undefined && !isEmpty(fields.images)) throw unsupportedContent('images', 'pictures', words)
  const field = fields.texts === undefined && fields.inputs !== undefined ? 'inputs' : 'texts'
  const texts = field === 'texts' ? parseTexts(fields.texts) : parseInputs(fields.inputs)
  return {
    model,
    request: {
      inputs: texts,
      inputType: inputTypeOf({ input_type }),
      dimensions: output_dimension,
      truncate: parseTruncateWord(fields.truncate ?? 'END'),
    },
    texts,
    field,
    forms: embedding_types.length === 0 ? undefined : [...new Set(embedding_types)],
  }
}

const words = ', and models here embed texts alone.'

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function parseTexts(sent: readonly unknown[] | undefined): string[] {
  if (sent === undefined) throw missing('texts', 'an array of texts')
  return parseEach('texts', sent, parseText)
}

/** Inputs of several parts. Texts are joined by line breaks, as in chats. */
function parseInputs(sent: unknown): string[] {
  return parseEach('inputs', sent, (input, path) => {
    const { content } = presentFields(input, path)
    if (!Array.isArray(content) || content.length === 0) {
      throw invalidValue(`${path}.content`, 'an array of parts, at least one of them')
    }
    const texts = content.map((sentPart, index) => {
      const place = `${path}.content[${index}]`
      const part = presentFields(sentPart, place)
      if (part.type !== 'text') throw unsupportedContent(place, 'no text', words)
      return parseText(part.text, `${place}.text`)
    })
    return texts.join('\n')
  })
}

function parseEach(field: string, sent: unknown, parse: (entry: unknown, path: string) => string): string[] {
  if (!Array.isArray(sent) || sent.length === 0) throw invalidValue(field, 'an array of at least 1 text')
  requireInputCount(sent.length, field)
  return sent.map((entry, index) => parse(entry, `${field}[${index}]`))
}

import { type Static, Type } from '@sinclair/typebox'
import { oneOf } from '../../core/schemas.ts'
import type { EmbedRequest, InputType } from '../../core/texts.ts'
import { check, invalidValue, modelField, optionalFlag, optionalInteger, presentFields } from '../check.ts'
import type { TextsCall } from '../texts-dialect.ts'
import { refuseUnsupported, type UnsupportedFields, unsupportedParameter } from '../unsupported.ts'
import { type NumberForm, type NumberType, numberFormList, numberForms, numberTypes } from './number-types.ts'
import { parseInput } from './parse-input.ts'

/** Fields for the purpose of a text, the most important first. */
const taskFields = {
  input_type: Type.Optional(Type.String({ description: "'query' or 'document'" })),
  task: Type.Optional(Type.String({ description: "the name of a task, as 'retrieval.query'" })),
  prompt_name: Type.Optional(Type.String({ description: "the name of a prompt, as 'query'" })),
}

const numberFormOrList = Type.Union([oneOf(numberForms, "'"), numberFormList], {
  description: `${oneOf(numberForms, "'").description}, or an array of one of them`,
})

/** Fields for the number type in several services, the most important first. */
const formFields = {
  output_dtype: Type.Optional(oneOf(numberTypes, "'")),
  embedding_type: Type.Optional(numberFormOrList),
  encoding_type: Type.Optional(numberFormOrList),
  embedding_types: Type.Optional(numberFormOrList),
}

/** Sides to truncate at, as several services name them, in lower case. */
const truncateWords = { none: undefined, start: 'start', left: 'start', end: 'end', right: 'end' } as const

export const EmbeddingsBody = Type.Object({
  ...modelField,
  input: Type.Unknown({ description: 'a text or an array of texts' }),
  encoding_format: Type.Optional(
    Type.Union([Type.Literal('float'), Type.Literal('base64')], { description: "'float' or 'base64'" }),
  ),
  dimensions: optionalInteger(1),
  output_dimension: optionalInteger(1),
  ...formFields,
  ...taskFields,
  truncate: Type.Optional(
    Type.Union([Type.Boolean(), Type.String()], { description: "true, false, 'NONE', 'START' or 'END'" }),
  ),
  truncation: optionalFlag,
})

/** Fields of other services that request unsupported vectors. */
const unsupported: UnsupportedFields = {
  late_chunking: {
    words: ' by this server: each text has a vector of its own. Leave it out.',
    isHarmless: (value) => value === false,
  },
}

export interface EmbeddingsCall extends TextsCall {
  readonly request: EmbedRequest
  readonly numberType: NumberType
  readonly encodingFormat: NonNullable<Static<typeof EmbeddingsBody>['encoding_format']>
  /** True if `input` was one text or one array of token ids, not an array of them. */
  readonly isSingle: boolean
  /** Field in which the client sent the number of dimensions. */
  readonly dimensionsField: 'dimensions' | 'output_dimension'
}

/** Translates a whole body. Throws ApiError 400 or 413 whose `param` is the dotted path of the invalid field. */
export function parseEmbeddings(body: unknown): EmbeddingsCall {
  const fields = presentFields(body)
  const checked = check(EmbeddingsBody, fields)
  refuseUnsupported(fields, unsupported)
  const { inputs, isSingle } = parseInput(checked.input)
  const form = formOf(checked) ?? 'float'
  return {
    model: checked.model,
    request: {
      inputs,
      inputType: inputTypeOf(checked),
      dimensions: checked.dimensions ?? checked.output_dimension,
      truncate: truncateOf(checked.truncate ?? checked.truncation),
    },
    numberType: form === 'base64' ? 'float' : form,
    encodingFormat: form === 'base64' ? 'base64' : (checked.encoding_format ?? 'float'),
    isSingle,
    dimensionsField: (['dimensions', 'output_dimension'] as const).find((field) => field in checked) ?? 'dimensions',
  }
}

/** Returns the form of the numbers from the first field that names one. Throws ApiError 400 for two at once. */
function formOf(fields: Partial<Record<keyof typeof formFields, NumberForm | NumberForm[]>>): NumberForm | undefined {
  for (const param of ['output_dtype', 'embedding_type', 'encoding_type', 'embedding_types'] as const) {
    const forms = [fields[param] ?? []].flat()
    if (forms.length > 1) {
      throw unsupportedParameter(param, ' with several types: this answer has room for one. Use /v2/embed for several.')
    }
    if (forms[0] !== undefined) return forms[0]
  }
  return undefined
}

/** Throws ApiError 400. */
function truncateOf(value: boolean | string | undefined): EmbedRequest['truncate'] {
  if (typeof value === 'string') return parseTruncateWord(value, 'true, false, ')
  return value === true ? 'end' : undefined
}

/** Parses the side to truncate at. `others` lists further accepted values for the error. Throws ApiError 400. */
export function parseTruncateWord(value: string, others = ''): EmbedRequest['truncate'] {
  const word = value.toLowerCase()
  if (isTruncateWord(word)) return truncateWords[word]
  throw invalidValue('truncate', `${others}'NONE', 'START' or 'END'`)
}

function isTruncateWord(word: string): word is keyof typeof truncateWords {
  return Object.hasOwn(truncateWords, word)
}

/** Input types in the spellings of all services. */
const inputTypes = new Map<string, InputType>([
  ['query', 'query'],
  ['search_query', 'query'],
  ['retrieval.query', 'query'],
  ['retrieval_query', 'query'],
  ['document', 'document'],
  ['passage', 'document'],
  ['search_document', 'document'],
  ['retrieval.document', 'document'],
  ['retrieval.passage', 'document'],
  ['retrieval_document', 'document'],
])

/**
 * Returns the input type from the first field that names one. Other purposes, such as classification or clustering,
 * have no instruction here: such texts are embedded unchanged.
 */
export function inputTypeOf(
  fields: { readonly [Field in keyof typeof taskFields]?: string | undefined },
): InputType | undefined {
  const words = [fields.input_type, fields.task, fields.prompt_name].map((word) => word?.toLowerCase())
  return words.map((word) => inputTypes.get(word ?? '')).find((type) => type !== undefined)
}

import { type Static, Type } from '@sinclair/typebox'
import type { EmbedRequest, InputType } from '../../core/texts.ts'
import { check, modelField, optionalInteger, presentFields } from '../check.ts'
import type { TextsCall } from '../texts-dialect.ts'
import { refuseUnsupported, type UnsupportedFields } from '../unsupported.ts'
import { parseInput } from './parse-input.ts'

/** Fields in which clients say what a text is for, the one that counts first. */
const taskFields = {
  input_type: Type.Optional(Type.String({ description: "'query' or 'document'" })),
  task: Type.Optional(Type.String({ description: "the name of a task, as 'retrieval.query'" })),
  prompt_name: Type.Optional(Type.String({ description: "the name of a prompt, as 'query'" })),
}

export const EmbeddingsBody = Type.Object({
  ...modelField,
  input: Type.Unknown({ description: 'a text or an array of texts' }),
  encoding_format: Type.Optional(
    Type.Union([Type.Literal('float'), Type.Literal('base64')], { description: "'float' or 'base64'" }),
  ),
  dimensions: optionalInteger(1),
  ...taskFields,
})

const words = ' by this server in this form: vectors are of float32, one a text. Leave it out.'
const isFloat = (value: unknown) => value === 'float'

/** Fields of other services that ask for other vectors than there are. */
const unsupported: UnsupportedFields = {
  output_dtype: { words, isHarmless: isFloat },
  embedding_type: { words, isHarmless: isFloat },
  embedding_types: { words, isHarmless: (value) => Array.isArray(value) && value.every(isFloat) },
  late_chunking: { words, isHarmless: (value) => value === false },
}

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
  refuseUnsupported(fields, unsupported)
  const { inputs, isSingle } = parseInput(input)
  return {
    model,
    request: { inputs, inputType: inputTypeOf(tasks), dimensions },
    encodingFormat: encoding_format ?? 'float',
    isSingle,
  }
}

/** The spellings of all services that have such a field. */
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
 * What the texts are embedded as, by the first field that says so. Anything else they may be for (to be classified, to be
 * clustered) has no instruction here: such texts are taken as they are.
 */
function inputTypeOf(fields: Readonly<Partial<Record<keyof typeof taskFields, string>>>): InputType | undefined {
  const words = [fields.input_type, fields.task, fields.prompt_name].map((word) => word?.toLowerCase())
  return words.map((word) => inputTypes.get(word ?? '')).find((type) => type !== undefined)
}

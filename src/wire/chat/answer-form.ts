/**
 * Forms that an answer must keep to. Besides the dialects' own fields, local servers (llama.cpp, vLLM, SGLang) have
 * further ones. Fields that a schema can express are served. The others are refused, since the answer would not keep
 * to them.
 */

import type { ChatRequest, SchemaOrigin } from '../../core/chat.ts'
import { jsonIn } from '../../core/json.ts'
import { invalidValue, presentFields } from '../check.ts'
import { limits } from '../limits.ts'
import { unsupportedParameter } from '../unsupported.ts'
import { checkSchema } from './check-schema.ts'

/** Schema with its origin, or choices, or neither */
export type AnswerForm = Pick<ChatRequest, 'answerSchema' | 'answerSchemaOrigin' | 'answerChoices'>

/** Form of answers that may be any JSON object */
export const anyObject: AnswerForm = { answerSchema: { type: 'object' } }

/** Returns an answer form for a schema of the caller. Throws ApiError 400. */
export function fittingSchema(schema: unknown, origin: SchemaOrigin): AnswerForm {
  return { answerSchema: checkSchema(schema, origin), answerSchemaOrigin: origin }
}

const maxChoices = limits.answerChoices.most

/** Reads a field that sets the answer's form. `own` is the dialect's own field for that. */
type ReadForm = (value: unknown, param: string, own: string) => AnswerForm

const readers: Readonly<Record<string, ReadForm>> = {
  json_schema: readSchema,
  guided_json: readSchema,
  guided_choice: readChoices,
  guided_regex: refuse,
  guided_grammar: refuse,
  structured_outputs: readStructuredOutputs,
  grammar: refuse,
  regex: refuse,
  ebnf: refuse,
}

/** Readers of the members of vLLM's `structured_outputs`. Its other members do not change the form. */
const structuredReaders: Readonly<Record<string, ReadForm>> = {
  json: readSchema,
  json_object: (value) => (value === true ? anyObject : {}),
  choice: readChoices,
  regex: refuse,
  grammar: refuse,
  structural_tag: refuse,
}

/**
 * Returns the answer's form in a body. `given` is the one in the dialect's own field `own`. `path` precedes the
 * fields' names in errors. Throws ApiError 400 for an unsupported form, and for two at once.
 */
export function parseAnswerForm(
  body: Readonly<Record<string, unknown>>,
  own: string,
  given: AnswerForm,
  known = readers,
  path = '',
): AnswerForm {
  let form = given
  let by = own
  for (const [name, read] of Object.entries(known)) {
    const value = body[name]
    if (value === undefined || value === '') continue // how clients say "none"
    const param = `${path}${name}`
    const next = read(value, param, own)
    if (Object.keys(next).length === 0) continue
    if (Object.keys(form).length > 0) throw invalidValue(param, `left out beside '${by}'`)
    form = next
    by = param
  }
  return form
}

function readStructuredOutputs(value: unknown, param: string, own: string): AnswerForm {
  return parseAnswerForm(presentFields(value, param), own, {}, structuredReaders, `${param}.`)
}

/** Reads a schema field without `strict`: parts that an engine cannot enforce are left to the model. */
function readSchema(value: unknown, param: string): AnswerForm {
  const schema = typeof value === 'string' ? jsonIn(value) : value
  if (schema === undefined) throw invalidValue(param, 'a JSON schema, or the text of one')
  return fittingSchema(schema, { path: param, isStrict: false })
}

function readChoices(value: unknown, param: string): AnswerForm {
  const expected = `an array of 1 to ${maxChoices} texts that are not empty`
  if (!Array.isArray(value) || value.length === 0 || value.length > maxChoices) throw invalidValue(param, expected)
  const answerChoices = value.map((choice: unknown, index) => {
    if (typeof choice !== 'string' || choice === '')
      throw invalidValue(`${param}[${index}]`, 'a text that is not empty')
    return choice.toWellFormed()
  })
  return { answerChoices }
}

function refuse(_value: unknown, param: string, own: string): never {
  const advice = `Use '${own}' with a JSON schema, whose strings may have a 'pattern', or 'guided_choice'.`
  throw unsupportedParameter(param, ` by this server. ${advice}`)
}

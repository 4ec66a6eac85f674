/** Fields that constrain the answer's text. */
import type { ChatRequest } from '../../../../core/chat.ts'
import type { JsonObject } from '../../../../core/json.ts'
import { unreachable } from '../../../../core/unreachable.ts'
import { unsupportedParameter } from '../../../shared/engine-errors.ts'
import type { Abilities, ChatForm, ChoicesForm } from '../chat-form.ts'
import { mayCall } from './tool-fields.ts'

/** Returns the fields. Throws ApiError `unsupported_parameter` for constraints that the server would not enforce. */
export function answerFields(
  request: ChatRequest,
  abilities: Abilities,
  row: Pick<ChatForm, 'choices' | 'rawSchema'>,
): JsonObject {
  const { answerSchema, answerSchemaOrigin, answerChoices, toolChoice, prompts } = request
  if (answerSchema === undefined && answerChoices === undefined) return {}
  // An answer that must be a call has no text.
  if (mayCall(request) && toolChoice.mode === 'required') return {}
  const param = answerSchemaOrigin?.path ?? 'response_format'
  if (mayCall(request) && !abilities.schemasBesideTools) throw unsupportedParameter(param, besideTools)
  if (answerChoices !== undefined) {
    if (row.choices === undefined) throw unsupportedParameter('guided_choice', alone)
    return choiceFields(answerChoices, row.choices)
  }
  if (answerSchema === undefined) return {}
  if (!abilities.schemas) throw unsupportedParameter(param, alone)
  if (prompts === undefined || row.rawSchema === 'response_format') {
    return { response_format: responseFormat(answerSchema, answerSchemaOrigin?.isStrict) }
  }
  if (row.rawSchema === undefined)
    throw unsupportedParameter(param, ' for prompts by the servers of this model. Leave it out.')
  return { [row.rawSchema]: answerSchema }
}

const alone = ' by the servers of this model. Leave it out, or choose another model.'
const besideTools =
  ' beside \'tools\' by the servers of this model: it could make no call then. Leave one of them out, or set \'tool_choice\' to "none" or "required".'

/** Returns the response format. A schema without an origin means any JSON object. */
function responseFormat(schema: JsonObject, isStrict: boolean | undefined): JsonObject {
  if (isStrict === undefined) return { type: 'json_object' }
  return { type: 'json_schema', json_schema: { name: 'answer', schema, strict: isStrict } }
}

function choiceFields(choices: readonly string[], form: ChoicesForm): JsonObject {
  switch (form) {
    case 'structured_outputs':
      return { structured_outputs: { choice: choices } }
    case 'guided_choice':
      return { guided_choice: choices }
    case 'regex':
      return { regex: choicePattern(choices) }
    case 'regex-format':
      return { response_format: { type: 'regex', regex: choicePattern(choices) } }
    case 'grammar':
      return { grammar: `root ::= ${choices.map(grammarText).join(' | ')}` }
    default:
      return unreachable(form)
  }
}

function choicePattern(choices: readonly string[]): string {
  return `(${choices.map((choice) => choice.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|')})`
}

/** Returns a text as a literal of llama.cpp's grammars. */
function grammarText(text: string): string {
  const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '"': '\\"', '\\': '\\\\' }
  return `"${text.replace(/[\n\r\t"\\]/g, (character) => escapes[character] ?? character)}"`
}

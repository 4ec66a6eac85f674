import { describe, expect, test } from 'bun:test'
import { parseChatCompletion } from '../chat-completions/parse-request.ts'
import { parseMessagesCall } from '../messages/parse-request.ts'
import { parseResponses } from '../responses/parse-request.ts'
import type { AnswerForm } from './answer-form.ts'

const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false }
const held: AnswerForm = { answerSchema: schema }
const choices: AnswerForm = { answerChoices: ['yes', 'no'] }

const forms: readonly (readonly [body: object, form: AnswerForm])[] = [
  [{ json_schema: schema }, held],
  [{ json_schema: JSON.stringify(schema) }, held],
  [{ guided_json: schema }, held],
  [{ guided_json: JSON.stringify(schema) }, held],
  [{ structured_outputs: { json: schema, disable_any_whitespace: true } }, held],
  [{ structured_outputs: { json_object: true } }, { answerSchema: { type: 'object' } }],
  [{ guided_choice: ['yes', 'no'] }, choices],
  [{ structured_outputs: { choice: ['yes', 'no'] } }, choices],
  [{ grammar: '', guided_regex: null, regex: null, structured_outputs: { json_object: false, regex: null } }, {}],
]

const messages = [{ role: 'user', content: 'Hi' }]
const dialects = {
  'chat/completions': (body: object) => parseChatCompletion({ model: 'a', messages, ...body }).request,
  responses: (body: object) => parseResponses({ model: 'a', input: 'Hi', ...body }).request,
  messages: (body: object) => parseMessagesCall({ model: 'a', messages, max_tokens: 9, ...body }).request,
}

const dialectCases = [
  ['chat/completions', dialects['chat/completions'], 'response_format'],
  ['responses', dialects.responses, 'text.format'],
  ['messages', dialects.messages, 'output_config.format'],
] as const

describe.each(dialectCases)('%s', (_, parse, own) => {
  test.each(forms)('%j', (body, form) => {
    const { answerSchema, answerChoices } = parse(body)
    expect({ answerSchema, answerChoices }).toEqual({ answerSchema: undefined, answerChoices: undefined, ...form })
  })

  test.each<[body: object, param: string]>([
    [{ grammar: 'root ::= "a"' }, 'grammar'],
    [{ guided_grammar: 'root ::= "a"' }, 'guided_grammar'],
    [{ guided_regex: 'a+' }, 'guided_regex'],
    [{ regex: 'a+' }, 'regex'],
    [{ ebnf: 'root ::= "a"' }, 'ebnf'],
    [{ structured_outputs: { regex: 'a+' } }, 'structured_outputs.regex'],
    [{ structured_outputs: { structural_tag: '{}' } }, 'structured_outputs.structural_tag'],
  ])('%j is refused, saying what to use instead', (body, param) => {
    const message = expect.stringContaining(own)
    expect(() => parse(body)).toThrow(expect.objectContaining({ param, code: 'unsupported_parameter', message }))
  })
})

test.each<[body: object, param: string]>([
  [{ guided_json: '{' }, 'guided_json'],
  [{ guided_choice: [] }, 'guided_choice'],
  [{ guided_choice: 'yes' }, 'guided_choice'],
  [{ guided_choice: ['yes', ''] }, 'guided_choice[1]'],
  [{ guided_choice: Array.from({ length: 1001 }, () => 'a') }, 'guided_choice'],
  [{ guided_json: schema, guided_choice: ['a'] }, 'guided_choice'],
  [{ guided_json: schema, structured_outputs: { json: schema } }, 'structured_outputs'],
  [{ structured_outputs: { json: schema, choice: ['a'] } }, 'structured_outputs.choice'],
  [{ structured_outputs: 'json' }, 'structured_outputs'],
  [{ response_format: { type: 'json_object' }, json_schema: schema }, 'json_schema'],
])('%j is refused with its place', (body, param) => {
  expect(() => dialects['chat/completions'](body)).toThrow(expect.objectContaining({ param, code: 'invalid_value' }))
})

test('what is no schema says so', () => {
  const refusal = expect.objectContaining({ code: 'invalid_schema' })
  expect(() => dialects['chat/completions']({ json_schema: 5 })).toThrow(refusal)
})

test('beside free text in the dialect’s own field they count', () => {
  const { answerChoices } = dialects['chat/completions']({ response_format: { type: 'text' }, guided_choice: ['a'] })
  expect(answerChoices).toEqual(['a'])
})

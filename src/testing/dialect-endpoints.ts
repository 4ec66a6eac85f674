/** Endpoints of the dialects, with bodies and errors in each one's form, for tests that try all of them. */
import { expect } from 'bun:test'
import type { JsonObject } from '../core/json.ts'
import { chatBodies, countTokensBodies, messagesBodies, responsesBodies } from './valid-bodies.ts'

export interface DialectEndpoint {
  readonly path: string
  /** Bodies that are answered with 200. */
  readonly bodies: readonly JsonObject[]
  /** Returns a body with these tools, this schema, these messages. */
  readonly write: (parts: BodyParts) => object
  /** Pattern of the end of a successful stream. Absent if the endpoint has no streams. */
  readonly streamEnd?: RegExp
  /** Returns the error's details. Fails if the text is no error of this dialect. */
  readonly readError: (text: string) => ErrorDetails
}

export interface BodyParts {
  readonly model?: string
  /** Content of the user's message, in the dialect's own form. */
  readonly content?: unknown
  readonly messages?: unknown
  readonly tools?: readonly { readonly name: unknown; readonly parameters: unknown }[]
  /** Value in place of a list of tools. */
  readonly oddTools?: unknown
  readonly schema?: unknown
}

export interface ErrorDetails {
  readonly code: string
  readonly param: string | null
  readonly message: string
}

export const dialectEndpoints: readonly DialectEndpoint[] = [
  {
    path: '/v1/chat/completions',
    bodies: chatBodies,
    write: ({ model = 'fake', content = 'Hi', messages, tools, oddTools, schema }) => ({
      model,
      messages: messages ?? [{ role: 'user', content }],
      tools: oddTools ?? tools?.map((tool) => ({ type: 'function', function: tool })),
      response_format: schema === undefined ? null : { type: 'json_schema', json_schema: { name: 'a', schema } },
    }),
    streamEnd: /\ndata: \[DONE\]\n\n$/,
    readError: readPlainError,
  },
  {
    path: '/v1/responses',
    bodies: responsesBodies,
    write: writeResponses,
    streamEnd: /\nevent: response\.(completed|incomplete)\ndata: [^\n]+\n\n$/,
    readError: readPlainError,
  },
  {
    path: '/v1/responses/input_tokens',
    bodies: responsesBodies,
    write: writeResponses,
    readError: readPlainError,
  },
  {
    path: '/v1/messages',
    bodies: messagesBodies,
    write: (parts) => ({ ...writeMessages(parts), max_tokens: 100 }),
    streamEnd: /\nevent: message_stop\ndata: [^\n]+\n\n$/,
    readError: readMessagesError,
  },
  {
    path: '/v1/messages/count_tokens',
    bodies: countTokensBodies,
    write: writeMessages,
    readError: readMessagesError,
  },
]

function writeResponses({ model = 'fake', content = 'Hi', messages, tools, oddTools, schema }: BodyParts): object {
  return {
    model,
    input: messages ?? [{ role: 'user', content }],
    tools: oddTools ?? tools?.map((tool) => ({ type: 'function', ...tool })),
    text: schema === undefined ? null : { format: { type: 'json_schema', name: 'a', schema } },
  }
}

function writeMessages({ model = 'fake', content = 'Hi', messages, tools, oddTools, schema }: BodyParts): object {
  return {
    model,
    messages: messages ?? [{ role: 'user', content }],
    tools: oddTools ?? tools?.map(({ name, parameters }) => ({ name, input_schema: parameters })),
    output_config: schema === undefined ? null : { format: { type: 'json_schema', schema } },
  }
}

export function readPlainError(text: string): ErrorDetails {
  const { error, ...rest } = JSON.parse(text)
  expect(rest).toEqual({})
  expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code', 'docs_url'])
  expect(error.type).toBe('invalid_request_error')
  return checkDetails(error)
}

function readMessagesError(text: string): ErrorDetails {
  const { type, error, request_id, ...rest } = JSON.parse(text)
  expect(rest).toEqual({})
  expect(type).toBe('error')
  expect(request_id).toMatch(/^req_\w{24}$/)
  expect(['invalid_request_error', 'not_found_error', 'request_too_large']).toContain(error.type)
  return checkDetails(error)
}

/** Requires a clear error that names the wrong field, unless the whole body is wrong. Returns it. */
export function checkDetails({ code, param, message }: ErrorDetails): ErrorDetails {
  expect(code).toBeString()
  expect(message).toMatch(/^.{6,}/)
  expect(message).not.toContain('of another type')
  if (param === null) expect(message).toContain('body')
  else expect(param).toBeString()
  return { code, param, message }
}

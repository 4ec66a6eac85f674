import { expect, test } from 'bun:test'
import { ApiError, type ErrorKind } from '../../core/errors.ts'
import { messagesErrorStatus, toMessagesErrorBody } from './error-body.ts'

test.each<[ErrorKind, number, string]>([
  ['invalid_request', 400, 'invalid_request_error'],
  ['authentication', 401, 'authentication_error'],
  ['insufficient_balance', 402, 'billing_error'],
  ['not_found', 404, 'not_found_error'],
  ['method_not_allowed', 405, 'invalid_request_error'],
  ['payload_too_large', 413, 'request_too_large'],
  ['unsupported_media_type', 415, 'invalid_request_error'],
  ['rate_limit', 429, 'rate_limit_error'],
  ['internal', 500, 'api_error'],
  ['engine', 502, 'api_error'],
  ['unavailable', 503, 'overloaded_error'],
])('%s is a %i with the type %s', (kind, status, type) => {
  const error = new ApiError(kind, 'Words.', { code: 'some_code' })
  expect(messagesErrorStatus(error)).toBe(status)
  expect(toMessagesErrorBody(error, 'http://box/docs', 'req_1')).toEqual({
    type: 'error',
    error: { type, message: 'Words.', code: 'some_code', param: null, docs_url: 'http://box/docs' },
    request_id: 'req_1',
  })
})

test('edge case 59: a prompt that is too long is said in the words that agents take both numbers from', () => {
  const error = new ApiError('invalid_request', "This model's maximum context length is …", {
    code: 'context_length_exceeded',
    length: { promptTokens: 210_000, limitTokens: 200_000 },
  })
  const { message } = toMessagesErrorBody(error, '', '').error
  expect(message).toBe('prompt is too long: 210000 tokens > 200000 maximum')
})

test('a model that there is not is named the way agents expect', () => {
  const error = new ApiError('not_found', "There is no model 'a/b'. …", { code: 'model_not_found', modelId: 'a/b' })
  expect(toMessagesErrorBody(error, '', '').error.message).toBe('model: a/b')
})

test('a refused thread is said in the words after which clients go on without one, other refusals are not', () => {
  const detailsOf = (param: string) => {
    const error = new ApiError('invalid_request', 'Words.', { code: 'unsupported_parameter', param })
    return toMessagesErrorBody(error, '', '').error.details
  }
  expect(detailsOf('thread')).toEqual({ error_code: 'thread_unsupported_request', unsupported: ['thread'] })
  expect(detailsOf('mcp_servers')).toBeUndefined()
})

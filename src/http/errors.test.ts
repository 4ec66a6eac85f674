import { expect, test } from 'bun:test'
import { ApiError } from '../core/errors.ts'
import { errorResponse } from './errors.ts'

const chat = { requestId: 'req_1', dialect: 'chat', baseUrl: 'http://box' } as const
const messages = { ...chat, dialect: 'messages' } as const

function retryHeaders(error: ApiError) {
  const { headers } = errorResponse(error, chat)
  return { after: headers.get('retry-after'), should: headers.get('x-should-retry') }
}

test('a 503 that ends by itself says when to try again', () => {
  const error = new ApiError('unavailable', 'Wait.', { code: 'model_unavailable', retryAfterSeconds: 42 })
  expect(retryHeaders(error)).toEqual({ after: '42', should: null })
})

test('a 503 that somebody has to end is not to be tried again', () => {
  const error = new ApiError('unavailable', 'Mend the file.', { code: 'model_unavailable' })
  expect(retryHeaders(error)).toEqual({ after: null, should: 'false' })
})

test('what is never served is not to be tried again', () => {
  for (const code of ['not_supported', 'unsupported_parameter', 'unsupported_content'])
    expect(retryHeaders(new ApiError('invalid_request', 'No.', { code }))).toEqual({ after: null, should: 'false' })
})

test('other errors leave trying again to the client', () => {
  const error = new ApiError('engine', 'It died.', { code: 'engine_failed' })
  expect(retryHeaders(error)).toEqual({ after: null, should: null })
})

test('an error in the messages dialect has its shape', async () => {
  const error = new ApiError('invalid_request', 'No.', { code: 'invalid_value', param: 'max_tokens' })
  const response = errorResponse(error, messages)
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({
    type: 'error',
    error: {
      type: 'invalid_request_error',
      message: 'No.',
      code: 'invalid_value',
      param: 'max_tokens',
      docs_url: 'http://box/docs/errors#invalid_value',
    },
    request_id: 'req_1',
  })
})

test('any other error has the common shape', async () => {
  const error = new ApiError('not_found', 'No.', { code: 'not_found' })
  expect(await errorResponse(error, chat).json()).toEqual({
    error: {
      message: 'No.',
      type: 'invalid_request_error',
      param: null,
      code: 'not_found',
      docs_url: 'http://box/docs/errors#not_found',
    },
  })
})

test('what ends by itself is 529 in the messages dialect, with the time to wait; what does not is 503', () => {
  const busy = new ApiError('unavailable', 'Wait.', { code: 'overloaded', retryAfterSeconds: 5 })
  const broken = new ApiError('unavailable', 'Mend the file.', { code: 'model_unavailable' })
  const answers = [errorResponse(busy, messages), errorResponse(broken, messages), errorResponse(busy, chat)]
  expect(answers.map(({ status }) => status)).toEqual([529, 503, 503])
  expect(answers[0]?.headers.get('retry-after')).toBe('5')
  expect(answers[1]?.headers.get('x-should-retry')).toBe('false')
})

test('a body that is too large ends the connection, too many texts in one that was read do not', () => {
  const connection = (code: string) => {
    return errorResponse(new ApiError('payload_too_large', 'No.', { code }), chat).headers.get('connection')
  }
  expect(connection('payload_too_large')).toBe('close')
  expect(connection('too_many_inputs')).toBeNull()
})

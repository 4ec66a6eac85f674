import { expect, test } from 'bun:test'
import { ApiError } from '../core/errors.ts'
import { errorResponse } from './errors.ts'

function retryHeaders(error: ApiError) {
  const { headers } = errorResponse(error, 'http://box')
  return { after: headers.get('retry-after'), should: headers.get('x-should-retry') }
}

test('a 503 that ends by itself says when to try again', () => {
  const error = new ApiError('unavailable', 'Wait.', { code: 'model_unavailable', retryAfterSeconds: 42 })
  expect(retryHeaders(error)).toEqual({ after: '42', should: null })
})

test('a 503 that somebody has to end is not to be tried again', () => {
  const error = new ApiError('unavailable', 'Fetch the files.', { code: 'model_not_installed' })
  expect(retryHeaders(error)).toEqual({ after: null, should: 'false' })
})

test('other errors leave trying again to the client', () => {
  const error = new ApiError('engine', 'It died.', { code: 'engine_failed' })
  expect(retryHeaders(error)).toEqual({ after: null, should: null })
})

import { expect, test } from 'bun:test'
import { errorData } from '../../../core/errors.ts'
import { UpstreamFailure } from '../http/failure.ts'
import { passedOn } from './passed-on.ts'

const failure = (status: number, body: unknown, kind: 'status' | 'cut' = 'status') =>
  new UpstreamFailure(kind, 'x', { status, detail: typeof body === 'string' ? body : JSON.stringify(body) })
const error = { message: 'Not so.', type: 'x', param: 'messages', code: 'invalid_value' }

test.each([
  [400, 'invalid_request'],
  [409, 'conflict'],
  [413, 'payload_too_large'],
  [415, 'unsupported_media_type'],
  [503, 'unavailable'],
])('an error about the request passes as it is: %d', (status, kind) => {
  const passed = passedOn(failure(status, { error }))
  expect(passed && errorData(passed)).toMatchObject({ kind, message: 'Not so.', code: error.code, param: 'messages' })
})

test.each([401, 402, 403, 404, 421, 429, 500, 502])('what is between the servers does not: %d', (status) => {
  expect(passedOn(failure(status, { error }))).toBeUndefined()
})

test.each<[body: unknown]>([
  ['<html>'],
  [''],
  ['{"error":'],
  [[]],
  [{ error: 'x' }],
  [{ error: { message: 'x' } }],
  [{ error: { ...error, code: 5 } }],
])('what is no error of ours does not: %j', (body) => {
  expect(passedOn(failure(400, body))).toBeUndefined()
})

test('nor does a queue that is full, which this server says in its own words', () => {
  expect(passedOn(failure(503, { error: { ...error, code: 'overloaded' } }))).toBeUndefined()
})

test('nor does a text without end, or a connection that was cut', () => {
  expect(passedOn(failure(400, { error: { ...error, message: 'x'.repeat(5_000) } }))).toBeUndefined()
  expect(passedOn(failure(400, { error }, 'cut'))).toBeUndefined()
})

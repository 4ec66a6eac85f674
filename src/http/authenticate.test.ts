import { expect, test } from 'bun:test'
import type { KeyVerdict } from '../accounts/keys.ts'
import { authenticate, type KeyVerifier } from './authenticate.ts'

const verdicts: Record<string, KeyVerdict> = {
  good: { kind: 'valid', keyId: 'key_1', accountId: 'acc_1' },
  other: { kind: 'valid', keyId: 'key_2', accountId: 'acc_2' },
  old: { kind: 'revoked' },
}
const keys: KeyVerifier = { verify: (secret) => verdicts[secret] ?? { kind: 'unknown' } }

/** Returns the id of the key in the headers, or the code of the refusal. */
function caller(headers: Record<string, string>, acceptsApiKeyHeader = true): string {
  try {
    return authenticate(new Headers(headers), keys, { acceptsApiKeyHeader }).keyId
  } catch (error) {
    return (error as { code: string }).code // an ApiError, or the comparison fails
  }
}

test.each([
  ['x-api-key alone', { 'x-api-key': 'good' }, 'key_1'],
  ['a bearer key alone', { authorization: 'Bearer good' }, 'key_1'],
  ['both valid: x-api-key wins', { 'x-api-key': 'good', authorization: 'Bearer other' }, 'key_1'],
  ['an unknown x-api-key beside a valid bearer key', { 'x-api-key': 'nope', authorization: 'Bearer other' }, 'key_2'],
  ['an empty x-api-key beside a valid bearer key', { 'x-api-key': ' ', authorization: 'Bearer other' }, 'key_2'],
  ['both wrong: x-api-key is what is said', { 'x-api-key': 'old', authorization: 'Bearer nope' }, 'key_revoked'],
  ['"Bearer " inside x-api-key', { 'x-api-key': 'Bearer good' }, 'key_1'],
  ['no header at all', {}, 'missing_api_key'],
  ['only a scheme', { 'x-api-key': 'Bearer ', authorization: 'Bearer' }, 'invalid_api_key'],
])('edge case 64: %s', (_, headers, expected) => {
  expect(caller(headers)).toBe(expected)
})

test('other paths take no x-api-key, and do not speak of it', () => {
  expect(caller({ 'x-api-key': 'good' }, false)).toBe('missing_api_key')
  expect(() => authenticate(new Headers(), keys, { acceptsApiKeyHeader: false })).toThrow(
    "Send an API key in the header 'Authorization: Bearer <key>'.",
  )
  expect(() => authenticate(new Headers(), keys, { acceptsApiKeyHeader: true })).toThrow("or 'x-api-key: <key>'.")
})

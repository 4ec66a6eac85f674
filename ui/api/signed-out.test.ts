import { expect, test } from 'bun:test'
import { nextAddress } from './signed-out.ts'

test('a sign-in leads back to pages of ours alone', () => {
  expect(nextAddress('/admin/models?type=chat')).toBe('/admin/models?type=chat')
  for (const elsewhere of [
    null,
    '',
    'https://example.org',
    '//example.org',
    '/\\example.org',
    '/dashboard.example.org',
    '/dashboard/\\x',
    '/v1/models',
  ]) {
    expect(nextAddress(elsewhere)).toBe('/dashboard')
  }
})

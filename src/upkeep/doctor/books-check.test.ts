import { expect, test } from 'bun:test'
import { openTestAccounts } from '../../testing/test-accounts.ts'
import { booksFindings } from './books-check.ts'

test('limits to networks are doubted where every client seems to come from one proxy', () => {
  using books = openTestAccounts()
  const { limits, checkIntegrity } = books.stores
  const behind = { publicUrl: 'https://ai.example.org', tls: 'off', trustedProxies: [] } as const
  const verdicts = (config: Parameters<typeof booksFindings>[1]['config']) =>
    booksFindings(checkIntegrity(), { isServerRunning: true, config }).map(({ verdict }) => verdict)
  expect(verdicts(behind)).toEqual(['ok'])
  limits.set('key_1', { networks: ['10.0.0.0/8'] })
  expect(verdicts(behind)).toEqual(['ok', 'warn'])
  expect(verdicts({ ...behind, trustedProxies: ['127.0.0.1'] })).toEqual(['ok'])
  expect(verdicts({ ...behind, tls: 'files' })).toEqual(['ok'])
  expect(verdicts({ ...behind, publicUrl: undefined })).toEqual(['ok'])
})

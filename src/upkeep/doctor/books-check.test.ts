import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTestAccounts } from '../../testing/test-accounts.ts'
import { booksFindings } from './books-check.ts'

test('limits to networks are doubted where every client seems to come from one proxy', () => {
  using books = openTestAccounts()
  const { limits, checkIntegrity } = books.stores
  const behind = { data: '/nowhere', publicUrl: 'https://ai.example.org', tls: 'off', trustedProxies: [] } as const
  const verdicts = (config: Parameters<typeof booksFindings>[1]['config']) =>
    booksFindings(checkIntegrity(), { isServerRunning: true, config }).map(({ verdict }) => verdict)
  expect(verdicts(behind)).toEqual(['ok'])
  limits.set('key_1', { networks: ['10.0.0.0/8'] })
  expect(verdicts(behind)).toEqual(['ok', 'warn'])
  expect(verdicts({ ...behind, trustedProxies: ['127.0.0.1'] })).toEqual(['ok'])
  expect(verdicts({ ...behind, tls: 'files' })).toEqual(['ok'])
  expect(verdicts({ ...behind, publicUrl: undefined })).toEqual(['ok'])
})

test('copies of the database that are older than an erasure are named', () => {
  const data = mkdtempSync(join(tmpdir(), 'inferd-copies-'))
  using books = openTestAccounts(join(data, 'inferd.db'))
  const { stores, database, account } = books
  const config = { data, publicUrl: undefined, tls: 'off', trustedProxies: [] } as const
  const advice = () =>
    booksFindings(stores.checkIntegrity(), { isServerRunning: true, config }).flatMap((finding) => finding.advice ?? [])
  for (const [name, seconds] of [
    ['inferd.db.v15.backup', 1],
    ['inferd.db.v16.backup', 2_000_000_000],
    ['other.backup', 1],
  ] as const) {
    writeFileSync(join(data, name), '')
    utimesSync(join(data, name), seconds, seconds)
  }
  mkdirSync(join(data, 'replaced-20260101T000000Z'))
  utimesSync(join(data, 'replaced-20260101T000000Z'), 1, 1)
  expect(advice()).toEqual([])
  const { accountId } = account(0)
  database.transaction(() => stores.erasures.erase(accountId, 'cli:test')).immediate()
  expect(stores.erasures.copies()).toEqual(['inferd.db.v15.backup', 'replaced-20260101T000000Z'])
  expect(advice()).toEqual(['delete inferd.db.v15.backup, replaced-20260101T000000Z'])
  rmSync(data, { recursive: true })
})

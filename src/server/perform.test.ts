import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { problemError } from '../operations/problem-words.ts'
import { slowDisk } from '../testing/slow-disk.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { until } from '../testing/until.ts'
import { perform } from './perform.ts'

test('a command hears why the server cannot write its database', async () => {
  using books = openTestAccounts()
  books.database.run('PRAGMA query_only = ON')
  const server = { ...books.services, version: '1', baseUrl: 'http://localhost' }
  const request = { version: '1', actor: 'cli:ada', input: { email: 'ada@example.org', isUnmetered: false } }
  expect(await perform(server, 'accounts-create', request)).toEqual({
    kind: 'failed',
    message: 'nothing was changed: the server cannot write its database: it is read-only',
  })
})

test('a credit that is made and not safely on the disk is told as made, since repeating it would make it twice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-test-'))
  const path = join(folder, 'inferd.db')
  try {
    const disk = slowDisk()
    using books = openTestAccounts(path, () => 1_800_000_000_000, disk)
    const { accountId } = books.account(100)
    let noticed = 0
    const services = { ...books.services, onWritten: () => noticed++ }
    const server = { ...services, version: '1', baseUrl: 'http://localhost' }
    const input = { account: accountId, amount: '1' }
    const answer = perform(server, 'ledger-credit', { version: '1', actor: 'cli:ada', input })
    const flushes = await until(
      'the log is flushed',
      () => disk.flushes,
      ({ length }) => length === 1,
    )
    {
      using other = new Database(path)
      other.run('BEGIN IMMEDIATE') // keeps the log from being written to the file instead
      flushes[0]?.reject(new Error('the disk fails'))
      const reply = await answer
      expect(reply).toEqual({
        kind: 'refused',
        problem: { code: 'not_flushed', reason: 'another process keeps it locked' },
      })
    }
    expect(books.money(accountId).balance).toBe(1_000_000_100)
    expect(noticed).toBe(1)
    expect(problemError({ code: 'not_flushed', reason: 'x' })).toMatchObject({ kind: 'unavailable' })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEmail } from '../../accounts/email-address.ts'
import { DashboardClient } from '../../testing/dashboard-client.ts'
import { startTestServer } from '../../testing/test-server.ts'

test('asking for a link writes as much whether or not the address has an account, or had its mails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-link-'))
  const databasePath = join(folder, 'inferd.db')
  await using server = startTestServer({ databasePath })
  const email = parseEmail('ada@example.org')
  if (email === undefined) throw new Error('this is an address')
  server.stores.accounts.create({ email, name: 'Ada' })
  const browser = new DashboardClient(server)
  /** Returns the bytes that a request adds to the database's log and whose write to disk it awaits. */
  const bytesWritten = async (address: string) => {
    const before = statSync(`${databasePath}-wal`).size
    expect((await browser.send('sign-in-link', { body: { email: address } })).status).toBe(202)
    return statSync(`${databasePath}-wal`).size - before
  }
  const known = [await bytesWritten('ada@example.org'), await bytesWritten('ada@example.org')]
  const unknown = [await bytesWritten('bob@example.org'), await bytesWritten('not an address')]
  for (let times = 0; times < 3; times++) await bytesWritten('ada@example.org')
  const enough = [await bytesWritten('ada@example.org')]
  expect(known[0]).toBeGreaterThan(0)
  expect(new Set([...known, ...unknown, ...enough]).size).toBe(1)
  rmSync(folder, { recursive: true })
})

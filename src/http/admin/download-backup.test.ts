import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { ApiError } from '../../core/errors.ts'
import { downloadTicket } from '../../operations/download-ticket.ts'
import { openOperatorBox, signedInOperator } from '../../testing/operator-box.ts'
import type { Performing } from '../perform.ts'
import { downloadBackup } from './download-backup.ts'

test('a backup is sent for its ticket alone, and nothing for a name that is no backup', async () => {
  await using box = openOperatorBox()
  const { path } = await box.perform('backup', {})
  const caller = await signedInOperator(box)
  const ticketOf = (name: string, session = caller.session) => downloadTicket({ session, name, nowMs: Date.now() })
  const download = (name: string, ticket: string) => {
    const url = new URL(`http://localhost/admin/api/backups/${encodeURIComponent(name)}`)
    url.searchParams.set('ticket', ticket)
    // The parts of a request that the handler uses.
    const exchange = { url, services: box.services, limitSilence: () => undefined } as unknown as Performing
    return downloadBackup(exchange, caller).catch((error: unknown) => (error instanceof ApiError ? error.code : error))
  }
  const name = basename(path)
  const sent = await download(name, ticketOf(name))
  expect(sent instanceof Response && Buffer.from(await sent.arrayBuffer()).equals(readFileSync(path))).toBe(true)
  for (const ticket of ['', ticketOf('other.tar'), ticketOf(name, 'another session')])
    expect(await download(name, ticket)).toBe('invalid_link')
  for (const other of ['inferd.db', 'inferd-20260101T000000Z.tar'])
    expect(await download(other, ticketOf(other))).toBe('backup_not_found')
})

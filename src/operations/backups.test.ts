import { expect, test } from 'bun:test'
import { truncateSync } from 'node:fs'
import { basename } from 'node:path'
import { type OperatorBox, openOperatorBox, signedInOperator } from '../testing/operator-box.ts'
import { problemOf } from '../testing/refusal.ts'
import { downloadTicket, isGoodTicket } from './download-ticket.ts'
import { perform } from './operations.ts'

const actions = ({ services }: OperatorBox) => services.stores.audit.list().map(({ action }) => action)

test('a backup is listed, opened for a download, and checked for a restore with the command that does it', async () => {
  await using box = openOperatorBox({}, {}, 'queue_wait = "7m"\n')
  expect(await box.perform('backups-list', {})).toEqual([])
  const { path, bytes } = await box.perform('backup', {})
  const name = basename(path)
  expect(await box.perform('backups-list', {})).toMatchObject([{ name, path, bytes }])
  expect(await box.perform('backups-open', { name })).toMatchObject({ name, bytes, ticket: expect.any(String) })
  expect(await box.perform('backups-check', { name })).toMatchObject({
    ...{ accounts: 0, manifests: 0, problems: [] },
    command: `inferd restore ${path}`,
  })
  expect(actions(box)).toEqual(['backup.check', 'backup.download', 'backup'])
})

test('a damaged backup is told, and other names are not found', async () => {
  await using box = openOperatorBox()
  const { path, bytes } = await box.perform('backup', {})
  truncateSync(path, bytes - 1_000)
  const name = basename(path)
  expect(await problemOf(box.perform('backups-check', { name }))).toMatchObject({ code: 'backup_unusable' })
  for (const other of ['../inferd.db', 'inferd-20260101T000000Z.tar', 'inferd.db'])
    expect(await problemOf(box.perform('backups-open', { name: other }))).toMatchObject({
      code: 'not_found',
      what: 'backup',
    })
  expect(actions(box)).toEqual(['backup'])
})

test('a page downloads a backup only for the password of the operator', async () => {
  await using box = openOperatorBox()
  const { path } = await box.perform('backup', {})
  const caller = await signedInOperator(box)
  const input = { name: basename(path) }
  const open = (more: object) => perform(box.services, caller, { name: 'backups-open', input: { ...input, ...more } })
  expect(await problemOf(open({}))).toEqual({ code: 'wrong_password' })
  expect(await problemOf(open({ current: 'wrong password' }))).toEqual({ code: 'wrong_password' })
  expect(actions(box)).not.toContain('backup.download')
  expect(await open({ current: 'right password' })).toMatchObject({ ...input, ticket: expect.any(String) })
})

test('a ticket is good for one session, one file and one minute', () => {
  const good = { session: 'a', name: 'b.tar', nowMs: 1_000 }
  const ticket = downloadTicket(good)
  expect(isGoodTicket(ticket, { ...good, nowMs: 60_999 })).toBe(true)
  for (const other of [{ session: 'x' }, { session: undefined }, { name: 'c.tar' }, { nowMs: 61_000 }])
    expect(isGoodTicket(ticket, { ...good, ...other })).toBe(false)
  for (const text of ['', '9999999999999-', ticket.replace('61000', '99999'), `${ticket}0`])
    expect(isGoodTicket(text, good)).toBe(false)
})

import { afterEach, expect, spyOn, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { type OperatorBox, openOperatorBox, signedInOperator } from '../testing/operator-box.ts'
import { problemOf } from '../testing/refusal.ts'
import { UploadedBackups } from '../upkeep/uploaded-backups.ts'
import { perform } from './operations.ts'

let box: OperatorBox
afterEach(() => box[Symbol.asyncDispose]())

const actions = () => box.services.stores.audit.list().map(({ action }) => action)
const ready = () => join(box.dataDir, 'restore.ready')

async function* piecesOf(content: Uint8Array) {
  for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536)
}

async function madeBackup(text?: string) {
  box = openOperatorBox({}, {}, text)
  const { path } = await box.perform('backup', {})
  return { path, name: basename(path) }
}

test('a restore waits for the next start, is told, and can be dropped', async () => {
  const { name } = await madeBackup('queue_wait = "7m"\n')
  expect(await box.perform('backups-restore', { name })).toMatchObject({ name, accounts: 0, actor: 'operator:acc_1' })
  expect(readdirSync(ready()).sort()).toEqual(['config.toml', 'inferd.db', 'models.d', 'restore.json'])
  expect((await box.perform('backup-status', {})).restore).toMatchObject({ name })
  await box.perform('backups-cancel-restore', {})
  expect(existsSync(ready())).toBe(false)
  expect(await problemOf(box.perform('backups-cancel-restore', {}))).toEqual({ code: 'no_restore' })
  expect(actions()).toEqual(['backup.restore.cancel', 'backup.restore.wait', 'backup'])
})

test('a page must type the operator’s password, so that a stolen session restores nothing', async () => {
  const { name } = await madeBackup()
  const caller = { ...(await signedInOperator(box)), network: '10.0.0.1' }
  const restore = (current?: string) =>
    perform(box.services, caller, {
      name: 'backups-restore',
      input: { name, ...(current !== undefined && { current }) },
    })
  expect(await problemOf(restore())).toEqual({ code: 'wrong_password' })
  expect(await problemOf(restore('wrong password'))).toEqual({ code: 'wrong_password' })
  expect(existsSync(ready())).toBe(false)
  await restore('right password')
  expect(existsSync(ready())).toBe(true)
  for (let guess = 0; guess < 10; guess++) await problemOf(restore('wrong password'))
  expect(await problemOf(restore('right password'))).toMatchObject({ code: 'too_many_attempts' })
})

test('a backup that changes what is by hand, or that a start would refuse, is told and not restored', async () => {
  const { name } = await madeBackup('nvidia_libraries = "/opt/a"\n')
  const settings = join(box.dataDir, 'config.toml')
  expect(await box.perform('backups-check', { name })).toMatchObject({ settingsProblem: undefined })
  // The settings in force, which a backup of the same settings does not change.
  writeFileSync(settings, 'nvidia_libraries = "/opt/b"\nsmtp_host = "a"\nsmtp_password = "hidden-secret"\n')
  const other = basename((await box.perform('backup', {})).path)
  const checked = await box.perform('backups-check', { name: other })
  expect(checked.settingsProblem).toContain('needs --mail-from')
  expect(JSON.stringify(checked)).not.toContain('hidden-secret')
  expect(await problemOf(box.perform('backups-restore', { name: other }))).toMatchObject({ code: 'backup_unusable' })
  writeFileSync(settings, 'nvidia_libraries = "/opt/b"\n')
  const third = basename((await box.perform('backup', {})).path)
  expect((await box.perform('backups-check', { name: third })).settingsProblem).toContain('nvidia-libraries')
  expect(existsSync(ready())).toBe(false)
})

test('a backup with which the next start would find no models to preload or to price is not restored', async () => {
  const own = ['id = "me/own"', 'type = "chat"', 'engine = "fake"', ''].join('\n')
  box = openOperatorBox({}, {}, '')
  const { dataDir } = box
  const settings = join(dataDir, 'config.toml')
  const restored = async (text: string) => {
    writeFileSync(settings, text)
    const { path } = await box.perform('backup', {})
    rmSync(join(dataDir, 'models.d'), { recursive: true, force: true })
    writeFileSync(settings, '')
    return problemOf(box.perform('backups-restore', { name: basename(path) }))
  }
  const missing = await restored('preload = ["BAAI/bge-m3"]\n')
  expect(missing).toMatchObject({ reason: expect.stringContaining('its files are not on this disk') })
  expect(await restored('[prices."me/own"]\ninput = 1\n')).toMatchObject({ code: 'backup_unusable' })
  expect(existsSync(ready())).toBe(false)
  // The manifest is in the backup.
  mkdirSync(join(dataDir, 'models.d'), { mode: 0o700 })
  writeFileSync(join(dataDir, 'models.d', 'own.toml'), own)
  expect(await restored('[models."me/own".fake]\nparallel = 2\n')).toMatchObject({ accounts: 0 })
})

test('an uploaded backup is checked as a whole, listed, and takes the place of an earlier one', async () => {
  const { path } = await madeBackup()
  const content = readFileSync(path)
  const { restores } = box.server
  const first = await restores.receive(piecesOf(content))
  const added = await box.perform('backups-add-upload', { upload: first })
  expect(added).toMatchObject({ name: `uploaded-${basename(path)}`, accounts: 0, problems: [] })
  await box.perform('backups-add-upload', { upload: await restores.receive(piecesOf(content)) })
  const rows = await box.perform('backups-list', {})
  expect(rows.map(({ isUploaded }) => isUploaded)).toEqual([true, false])
  expect(await box.perform('backups-restore', { name: added.name })).toMatchObject({ name: added.name })
  await box.perform('backups-remove', { name: added.name })
  expect(await problemOf(box.perform('backups-remove', { name: basename(path) }))).toMatchObject({ code: 'not_found' })
  expect(readdirSync(join(box.dataDir, 'uploaded'))).toEqual([])
})

test('an upload that is no whole backup, or ends in between, leaves nothing', async () => {
  const { path } = await madeBackup()
  const content = readFileSync(path)
  const { restores } = box.server
  const folder = join(box.dataDir, 'uploaded')
  const cut = await restores.receive(piecesOf(content.subarray(0, content.length - 512)))
  expect(await problemOf(box.perform('backups-add-upload', { upload: cut }))).toMatchObject({ code: 'backup_unusable' })
  expect(readdirSync(folder)).toEqual([])
  async function* broken() {
    yield content.subarray(0, 1_000)
    throw new Error('the client left')
  }
  expect(await problemOf(restores.receive(broken()))).toEqual(new Error('the client left'))
  expect(readdirSync(folder)).toEqual([])
  expect(await problemOf(box.perform('backups-add-upload', { upload: 'made-up' }))).toMatchObject({
    code: 'backup_unusable',
  })
  const waits = Promise.withResolvers<void>()
  async function* slow() {
    yield content.subarray(0, 1_000)
    await waits.promise
    yield content.subarray(1_000)
  }
  const receiving = restores.receive(slow())
  expect(await problemOf(restores.receive(piecesOf(content)))).toMatchObject({ code: 'backup_not_uploaded' })
  waits.resolve()
  await box.perform('backups-add-upload', { upload: await receiving })
})

test('a backup that takes the place of the checked one is not restored', async () => {
  const { path, name } = await madeBackup('queue_wait = "7m"\n')
  const { sum } = await box.perform('backups-check', { name })
  writeFileSync(join(box.dataDir, 'config.toml'), 'queue_wait = "9m"\n')
  const other = await box.perform('backup', {})
  renameSync(other.path, path)
  expect(await problemOf(box.perform('backups-restore', { name, sum }))).toMatchObject({
    reason: expect.stringContaining('has taken the place'),
  })
  expect(await problemOf(box.server.restores.prepare(path, { actor: 'operator:acc_1', sum }))).toMatchObject({
    message: expect.stringContaining('has taken the place'),
  })
  expect(existsSync(ready())).toBe(false)
  const again = await box.perform('backups-check', { name })
  await box.perform('backups-restore', { name, sum: again.sum })
  expect(existsSync(ready())).toBe(true)
})

test('the part of an upload that a killed server left is deleted by the next one', async () => {
  box = openOperatorBox()
  const folder = join(box.dataDir, 'uploaded')
  mkdirSync(folder)
  writeFileSync(join(folder, 'receiving.tar'), 'half')
  new UploadedBackups(box.dataDir)
  expect(readdirSync(folder)).toEqual([])
})

test('a damaged backup, and one that is gone, are not restored', async () => {
  const { path, name } = await madeBackup()
  truncateSync(path, 3_000)
  expect(await problemOf(box.perform('backups-restore', { name }))).toMatchObject({ code: 'backup_unusable' })
  expect(await problemOf(box.perform('backups-restore', { name: '../inferd.db' }))).toMatchObject({ code: 'not_found' })
  expect(existsSync(ready())).toBe(false)
})

test('a server is restarted only if it is told that it is started again, and if it would start', async () => {
  box = openOperatorBox({}, {})
  expect(await problemOf(box.perform('server-restart', {}))).toEqual({ code: 'no_restart' })
  await box[Symbol.asyncDispose]()
  box = openOperatorBox({}, { 'restart-status': '75' })
  const restart = spyOn(box.server, 'restart' as never) // it may be undefined, which the type of `spyOn` refuses
  expect((await box.perform('settings-list', {})).canRestart).toBe(true)
  await box.perform('server-restart', {})
  expect(actions()).toEqual(['server.restart'])
  expect(restart).toHaveBeenCalledTimes(1)
  // The disk is full.
  spyOn(box.services.stores.commits, 'run').mockImplementationOnce(async (work) => {
    work()
    throw new Error('database or disk is full')
  })
  expect(await problemOf(box.perform('server-restart', {}))).toEqual(new Error('database or disk is full'))
  expect(restart).toHaveBeenCalledTimes(1)
  writeFileSync(join(box.dataDir, 'config.toml'), 'port = "no"\n')
  expect(await problemOf(box.perform('server-restart', {}))).toMatchObject({ code: 'start_would_fail' })
})

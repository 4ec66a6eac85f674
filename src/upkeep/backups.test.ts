import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { openOperatorBox } from '../testing/operator-box.ts'
import { problemOf } from '../testing/refusal.ts'
import { BackupFolder } from './backup-folder.ts'
import { BackupError, backupFileName } from './backup-format.ts'

import { Backups } from './backups.ts'
import { backupFinding } from './doctor/backup-check.ts'
import type { FolderAnswer } from './folder-worker.ts'
import type { Backup } from './write-backup.ts'

const hour = 3_600_000
const start = Date.UTC(2026, 10, 22, 18)

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-backups-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const opened: Backups[] = []
afterEach(async () => {
  for (const backups of opened.splice(0)) await backups.stop()
})

/** Returns a schedule over real files, with clocks that the test sets and a disk that is full while `isFull`. */
function scheduled({ keep = 3, backupFolder = new BackupFolder({ path: folder }) } = {}) {
  const state = { nowMs: start, steadyMs: 0, isFull: false, failures: [] as string[] }
  const backups = new Backups({
    ...{
      folder: backupFolder,
      dataDir: folder,
      everyMs: 24 * hour,
      keep,
      clock: () => state.nowMs,
      monotonicMs: () => state.steadyMs,
    },
    write: async (path) => {
      if (state.isFull) throw new BackupError('the disk is full')
      writeFileSync(path, 'backup')
      return { path, bytes: 6, createdMs: state.nowMs }
    },
    onMade: () => undefined,
    onFailure: (reason) => state.failures.push(reason),
  })
  opened.push(backups)
  const pass = async (ms: number, jumpMs = 0) => {
    state.steadyMs += ms
    state.nowMs += ms + jumpMs
    await backups.check()
    return readdirSync(folder).length
  }
  return { state, backups, pass }
}

test('a backup is made each day, and the latest stay', async () => {
  const { backups, pass } = scheduled()
  const counts: number[] = []
  for (let days = 0; days < 5; days++) counts.push(await pass(24 * hour), await pass(hour))
  expect(counts).toEqual([1, 1, 2, 2, 3, 3, 3, 3, 3, 3])
  expect(await backups.status()).toMatchObject({ count: 3, latest: { bytes: 6 }, failure: undefined, isRunning: false })
})

test('a clock that jumps makes no backup go missing', async () => {
  const { pass } = scheduled({ keep: 10 })
  expect(await pass(0)).toBe(1)
  expect(await pass(hour, 1_000 * hour)).toBe(2)
  expect(await pass(hour, -2_000 * hour)).toBe(3)
  expect(await pass(23 * hour)).toBe(3)
  expect(await pass(hour)).toBe(4)
})

test('backups that were made while the clock was wrong keep a server that starts again and again from none', async () => {
  const { state, backups, pass } = scheduled()
  writeFileSync(join(folder, backupFileName(start + 9_000 * hour)), 'backup')
  expect(await backups.status()).toMatchObject({ latest: undefined, count: 1 })
  expect(await pass(0)).toBe(2)
  expect(await (await backups.status()).latest?.createdMs).toBe(state.nowMs)
  expect(await pass(hour)).toBe(2)
})

test('two backups within a second have names of their own', async () => {
  const { backups } = scheduled()
  const [first, second] = [await backups.make(), await backups.make()]
  expect(second.path).not.toBe(first.path)
  expect(await backups.status()).toMatchObject({ count: 2, failure: undefined, latest: { path: second.path } })
})

test('a full disk is told once in a quarter of an hour and ends nothing', async () => {
  const { state, backups, pass } = scheduled()
  state.isFull = true
  for (let minutes = 0; minutes <= 30; minutes++) await pass(60_000)
  expect(state.failures).toEqual(Array(3).fill('the disk is full'))
  expect(await backups.status()).toMatchObject({
    count: 0,
    failure: { reason: 'the disk is full', atMs: expect.any(Number) },
  })
  state.isFull = false
  await pass(15 * 60_000)
  expect(await backups.status()).toMatchObject({ count: 1, failure: undefined })
})

/** Returns a folder whose disk hangs until `answer` is called. */
function hangingFolder() {
  const disk = Promise.withResolvers<FolderAnswer>()
  const thread = { ask: () => disk.promise, [Symbol.dispose]: () => undefined }
  const answer = (result: readonly Backup[]) => disk.resolve({ result })
  return { backupFolder: new BackupFolder({ path: folder, thread, limitMs: 1 }), answer }
}

test('a folder on a disk that hangs is told, fails a backup, and is looked at again once it answers', async () => {
  const { backupFolder, answer } = hangingFolder()
  const { state, backups, pass } = scheduled({ backupFolder })
  const folderProblem = expect.stringContaining('does not answer')
  expect(await backups.status()).toMatchObject({ folderProblem, count: 0, failure: undefined })
  expect(backupFinding(backups.lastStatus(), start)).toMatchObject({ verdict: 'bad', text: folderProblem })
  await pass(24 * hour)
  expect(state.failures).toEqual([folderProblem])
  expect(await backups.list().catch(String)).toEqual(folderProblem)
  const made = { path: join(folder, backupFileName(start)), bytes: 6, createdMs: start }
  answer([made])
  await backups.status()
  expect(await backups.status()).toMatchObject({ folderProblem: undefined, count: 1, latest: made })
})

test('a box whose backup folder does not answer says so wherever backups are asked for', async () => {
  await using box = openOperatorBox()
  const hangs = () => Promise.reject(new BackupError('the backup folder /mnt does not answer'))
  const spies = (['list', 'room'] as const).map((name) => spyOn(BackupFolder.prototype, name).mockImplementation(hangs))
  try {
    expect(await problemOf(box.perform('backups-list', {}))).toMatchObject({ code: 'backups_unknown' })
    const { checks, folders } = await box.perform('doctor', {})
    const [finding] = checks.filter(({ name }) => name === 'backup')
    expect(finding).toMatchObject({ verdict: 'bad', text: 'the backup folder /mnt does not answer' })
    expect(checks.find(({ name }) => name === 'disk')).not.toMatchObject({ verdict: 'unknown' })
    expect(folders.map(({ name }) => name)).toEqual(['data', 'models', 'uploads'])
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
})

test('the operator makes a backup of a running server, which is in the audit log and is the latest one', async () => {
  await using box = openOperatorBox()
  const [backup, same] = await Promise.all([box.perform('backup', {}), box.perform('backup', {})])
  expect(same).toEqual(backup)
  expect(statSync(backup.path)).toMatchObject({ size: backup.bytes })
  expect(box.services.stores.audit.list()[0]).toMatchObject({ action: 'backup', actor: 'operator:acc_1' })
  const status = await box.perform('backup-status', {})
  expect(status).toMatchObject({ everyMs: undefined, keep: 7, count: 1, latest: { bytes: backup.bytes } })
  expect(basename(status.latest?.path ?? '')).toBe(basename(backup.path))
})

test('a backup that cannot be made is refused with the reason', async () => {
  writeFileSync(join(folder, 'file'), '')
  await using box = openOperatorBox({}, { 'backup-folder': join(folder, 'file', 'below') })
  const refused = await box.perform('backup', {}).catch((error: unknown) => Object(error).problem)
  expect(refused).toMatchObject({ code: 'backup_failed', reason: expect.stringContaining('file') })
  expect(await box.perform('backup-status', {})).toMatchObject({ count: 0, failure: { reason: refused.reason } })
})

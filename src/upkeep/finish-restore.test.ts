import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDatabase } from '../db/copy-database.ts'
import { openDatabase } from '../db/open-database.ts'
import { type Disk, realDisk } from '../store/disk.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { cancelRestore, finishRestore, pendingRestore, readyFolder } from './finish-restore.ts'
import { checkBackup, prepareRestore, restoreBackup } from './restore-backup.ts'
import { writeBackup } from './write-backup.ts'

let folder = ''
let data = ''
let target = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-finish-'))
  data = join(folder, 'data')
  target = join(folder, 'b.tar')
})
afterEach(() => rmSync(folder, { recursive: true }))

const balances = { backup: 5_000, before: 5_007 }
const nowMs = 1_800_000_000_000
const actor = 'operator:acc_1'

/** Makes a backup, then changes everything in its data folder. */
async function backUpAndGoOn(): Promise<void> {
  mkdirSync(join(data, 'models.d'), { recursive: true, mode: 0o700 })
  using books = openTestAccounts(join(data, 'inferd.db'))
  books.account(balances.backup)
  books.stores.audit.append({ actor, action: 'of.both', details: {} })
  write('of the backup')
  const common = { dataDir: data, target, version: '1.2.3', nowMs, copyDatabase }
  await writeBackup({ ...common, settingsFile: join(data, 'config.toml') })
  books.account(balances.before - balances.backup)
  books.stores.audit.append({ actor: 'cli:eve', action: 'of.before', details: { by: 'eve' } })
  write('of before')
}

function write(text: string): void {
  writeFileSync(join(data, 'models.d', 'mine.toml'), text)
  writeFileSync(join(data, 'config.toml'), `# ${text}\n`)
}

/** Returns which state a folder has, and throws if it is a mixture. */
function stateOf(path: string): 'backup' | 'before' {
  using books = openTestAccounts(join(path, 'inferd.db'))
  const { problems, balancesNanoUsd } = books.stores.checkIntegrity()
  expect(problems).toEqual([])
  const state = balancesNanoUsd === balances.backup ? 'backup' : 'before'
  expect(balancesNanoUsd).toBe(balances[state])
  const text = state === 'backup' ? 'of the backup' : 'of before'
  expect(readFileSync(join(path, 'models.d', 'mine.toml'), 'utf8')).toBe(text)
  expect(readFileSync(join(path, 'config.toml'), 'utf8')).toBe(`# ${text}\n`)
  return state
}

function actionsIn(path: string): string[] {
  using database = openDatabase(join(path, 'inferd.db'))
  return database
    .query<{ action: string }, []>('SELECT action FROM audit_log ORDER BY id')
    .all()
    .map((row) => row.action)
}

const keptIn = (path: string) => readdirSync(path).filter((name) => name.startsWith('replaced-'))
const prepare = (dataDir = data) => prepareRestore({ path: target, dataDir, actor, nowMs, isForced: false })

/** Runs a part of a restore in a process that is killed at the disk's operation number `step`. Returns whether it was. */
async function killedAt(step: number, part: 'prepare' | 'finish', dataDir: string): Promise<boolean> {
  const program = `
    import { realDisk } from '${join(import.meta.dir, '../store/disk.ts')}'
    import { finishRestore } from '${join(import.meta.dir, 'finish-restore.ts')}'
    import { prepareRestore } from '${join(import.meta.dir, 'restore-backup.ts')}'
    let left = ${step}
    const dying = (work) => (...words) => {
      if (left-- === 0) process.kill(process.pid, 'SIGKILL')
      return work(...words)
    }
    const disk = Object.fromEntries(Object.entries(realDisk).map(([name, work]) => [name, dying(work)]))
    const [path, dataDir, part] = process.argv.slice(-3)
    if (part === 'finish') await finishRestore(dataDir, { nowMs: ${nowMs}, disk })
    else await prepareRestore({ path, dataDir, actor: '${actor}', nowMs: ${nowMs}, isForced: false, disk })`
  const child = Bun.spawn([process.execPath, '-e', program, target, dataDir, part], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await child.exited
  if (child.signalCode === null) expect(child.exitCode).toBe(0)
  return child.signalCode === 'SIGKILL'
}

test('a kill while a restore is prepared leaves the present state, and either no restore or a whole one', async () => {
  await backUpAndGoOn()
  const seen = new Set<boolean>()
  for (let step = 0; ; step++) {
    const box = join(folder, `box-${step}`)
    cpSync(data, box, { recursive: true })
    chmodSync(box, 0o700)
    const wasKilled = await killedAt(step, 'prepare', box)
    expect(stateOf(box)).toBe('before')
    const isPending = pendingRestore(box) !== undefined
    seen.add(isPending)
    const finished = await finishRestore(box, { nowMs })
    expect(finished !== undefined).toBe(isPending)
    expect(stateOf(box)).toBe(isPending ? 'backup' : 'before')
    if (!wasKilled) break
  }
  expect([...seen].sort()).toEqual([false, true])
}, 120_000)

test('a kill while the next start takes the files into use is made good by the start after it', async () => {
  await backUpAndGoOn()
  await prepare()
  for (let step = 0; ; step++) {
    const box = join(folder, `box-${step}`)
    cpSync(data, box, { recursive: true })
    chmodSync(box, 0o700)
    const wasKilled = await killedAt(step, 'finish', box)
    // A second kill at the same place, as of a machine whose power goes twice.
    if (wasKilled) await killedAt(0, 'finish', box)
    const finished = await finishRestore(box, { nowMs: nowMs + 1 })
    if (!wasKilled) expect(finished).toBeUndefined()
    expect(stateOf(box)).toBe('backup')
    expect(actionsIn(box)).toEqual(['of.both', 'of.before', 'backup.restore'])
    const [kept = '', ...others] = keptIn(box)
    expect(others).toEqual([])
    expect(stateOf(join(box, kept))).toBe('before')
    expect(existsSync(readyFolder(box))).toBe(false)
    if (!wasKilled) break
  }
}, 120_000)

test('a restore needs no room once it is prepared, and keeps what it replaced for its owner alone', async () => {
  await backUpAndGoOn()
  await prepare()
  rmSync(target)
  const full: Disk = { ...realDisk, open: () => Promise.reject(new Error('ENOSPC: no space left on device')) }
  expect(await finishRestore(data, { nowMs, disk: full })).toMatchObject({ name: 'b.tar', accounts: 1 })
  const [kept = ''] = keptIn(data)
  expect(statSync(join(data, kept)).mode & 0o777).toBe(0o700)
  expect(statSync(join(data, 'inferd.db')).mode & 0o777).toBe(0o600)
  expect(stateOf(data)).toBe('backup')
  expect(await finishRestore(data, { nowMs })).toBeUndefined()
})

test('a restore that fails before it begins changes nothing, and one that has begun is not dropped', async () => {
  await backUpAndGoOn()
  await prepare()
  const failing = (which: string): Disk => ({
    ...realDisk,
    rename: (from, to) => (to.includes(which) ? Promise.reject(new Error('EROFS')) : realDisk.rename(from, to)),
  })
  const fails = (which: string) =>
    finishRestore(data, { nowMs, disk: failing(which) }).catch((error: Error) => error.message)
  expect(await fails('replaced-')).toBe('EROFS')
  expect(stateOf(data)).toBe('before')
  expect(await fails('config.toml')).toBe('EROFS')
  expect(await cancelRestore(data).catch((error: Error) => error.message)).toContain('has begun')
  // Another restore ends the one that was begun.
  await restoreBackup({ path: target, dataDir: data, actor, nowMs: nowMs + 1_000, isForced: false })
  expect(stateOf(data)).toBe('backup')
  expect(
    keptIn(data)
      .map((name) => stateOf(join(data, name)))
      .sort(),
  ).toEqual(['backup', 'before'])
})

test('a later wish takes the place of an earlier one, and a dropped one leaves nothing', async () => {
  await backUpAndGoOn()
  await prepare()
  await prepareRestore({ path: target, dataDir: data, actor: 'cli:ada', nowMs: nowMs + 1_000, isForced: false })
  expect(pendingRestore(data)).toMatchObject({ actor: 'cli:ada', wantedMs: nowMs + 1_000 })
  await cancelRestore(data)
  expect(await finishRestore(data, { nowMs })).toBeUndefined()
  expect(readdirSync(data).filter((name) => /restor|replaced/.test(name))).toEqual([])
  expect(stateOf(data)).toBe('before')
})

test('a start deletes what killed checks and restores left, and nothing else', async () => {
  const left = ['.restore.importing', 'replaced-20270115T080000Z.tmp', 'restore.ready']
  for (const name of [...left, 'replaced-20270115T080000Z']) {
    mkdirSync(join(data, name), { recursive: true })
    writeFileSync(join(data, name, 'inferd.db'), 'of a killed one')
  }
  expect(await finishRestore(data, { nowMs })).toBeUndefined()
  expect(readdirSync(data)).toEqual(['replaced-20270115T080000Z'])
})

test('a restore signs everybody out, and the log of another server is not mixed in', async () => {
  await backUpAndGoOn()
  const other = join(folder, 'other')
  mkdirSync(join(other, 'models.d'), { recursive: true, mode: 0o700 })
  {
    using books = openTestAccounts(join(other, 'inferd.db'))
    books.stores.audit.append({ actor: 'cli:bob', action: 'of.another', details: {} })
    books.stores.audit.append({ actor: 'cli:bob', action: 'of.another', details: {} })
  }
  await prepare(other)
  await finishRestore(other, { nowMs })
  expect(actionsIn(other)).toEqual(['of.both', 'backup.restore'])
  using database = openDatabase(join(other, 'inferd.db'))
  expect(database.query('SELECT count(*) AS sessions FROM sessions').get()).toEqual({ sessions: 0 })
})

test('a database that is damaged is replaced all the same, and kept', async () => {
  await backUpAndGoOn()
  writeFileSync(join(data, 'inferd.db'), 'no database'.repeat(500))
  rmSync(join(data, 'inferd.db-wal'), { force: true })
  await prepare()
  await finishRestore(data, { nowMs })
  expect(stateOf(data)).toBe('backup')
  const [kept = ''] = keptIn(data)
  expect(readFileSync(join(data, kept, 'inferd.db'), 'utf8')).toStartWith('no database')
})

test('a backup of a newer version, or whose database lacks a part or has foreign triggers, is refused', async () => {
  await backUpAndGoOn()
  for (const [sql, reason] of [
    ['CREATE TRIGGER evil AFTER INSERT ON audit_log BEGIN SELECT RAISE(IGNORE); END', 'holds trigger evil'],
    ['DROP TRIGGER ledger_moves_balance', 'lacks trigger ledger_moves_balance'],
    [
      'DROP TRIGGER ledger_moves_balance; CREATE TRIGGER ledger_moves_balance AFTER INSERT ON ledger BEGIN SELECT 1; END',
      'holds trigger ledger_moves_balance',
    ],
    ['DROP TABLE signups', 'lacks table signups'],
    ['ALTER TABLE signups DROP COLUMN tries', 'lacks column signups.tries'],
    ['PRAGMA user_version = 999', 'which is newer than this one'],
  ] as const) {
    const box = join(folder, `of ${reason}`)
    cpSync(data, box, { recursive: true })
    {
      using database = new Database(join(box, 'inferd.db'))
      database.run(sql)
    }
    rmSync(target)
    await writeBackup({ dataDir: box, settingsFile: undefined, target, version: '1', nowMs, copyDatabase })
    const refusal = await checkBackup({ path: target, dataDir: data }).catch((error: Error) => error.message)
    expect(refusal).toContain(reason)
  }
})

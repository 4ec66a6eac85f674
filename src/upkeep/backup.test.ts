import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDatabase } from '../db/copy-database.ts'
import { type Disk, realDisk } from '../store/disk.ts'
import { runCommand } from '../testing/run-cli.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { testedProgram } from '../testing/tested-program.ts'
import { askDatabaseThread } from './database-thread.ts'
import { restoreBackup } from './restore-backup.ts'
import { writeBackup } from './write-backup.ts'

let folder = ''
let data = ''
let target = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-backup-'))
  data = newDataFolder('data')
  target = join(folder, 'b.tar')
})
afterEach(() => rmSync(folder, { recursive: true }))

function newDataFolder(name: string): string {
  const path = join(folder, name)
  mkdirSync(path, { mode: 0o700 })
  return path
}

/** Creates a database in a data folder, with an account that has this much money. */
function openBooks(dataDir: string, nanoUsd: number): TestAccounts {
  const books = openTestAccounts(join(dataDir, 'inferd.db'))
  books.account(nanoUsd)
  return books
}

function write(
  options: { readonly disk?: Disk; readonly settingsFile?: string | undefined; readonly to?: string } = {},
) {
  const { disk = realDisk, settingsFile, to = target } = options
  const common = { dataDir: data, target: to, version: '1.2.3', nowMs: 1_800_000_000_000, copyDatabase, disk }
  return writeBackup({ ...common, settingsFile })
}

const restore = (disk: Disk = realDisk, to = data) =>
  restoreBackup({ path: target, dataDir: to, actor: 'cli:ada', nowMs: 1_800_000_000_000, isForced: false, disk })

function balancesIn(dataDir: string): number {
  using books = openTestAccounts(join(dataDir, 'inferd.db'))
  const report = books.stores.checkIntegrity()
  expect(report.problems).toEqual([])
  return report.balancesNanoUsd
}

test('a backup beside the writer holds what was committed, the settings and the manifests, for its owner alone', async () => {
  using books = openBooks(data, 5_000)
  const settingsFile = join(data, 'config.toml')
  writeFileSync(settingsFile, 'port = 1\n')
  mkdirSync(join(data, 'models.d'))
  const longName = `${'long'.repeat(50)}.toml`
  for (const name of ['me%2Ftiny.toml', longName, '.hidden.toml', 'note.txt'])
    writeFileSync(join(data, 'models.d', name), name)
  const backup = await write({ settingsFile })
  books.account(7)
  expect(statSync(target)).toMatchObject({ size: backup.bytes, mode: expect.any(Number) })
  expect(statSync(target).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder).sort()).toEqual(['b.tar', 'data'])

  const other = newDataFolder('other')
  const restored = await restore(realDisk, other)
  expect(restored).toMatchObject({
    accounts: 1,
    balancesNanoUsd: 5_000,
    manifests: 2,
    replaced: undefined,
    inferd: '1.2.3',
  })
  expect(balancesIn(other)).toBe(5_000)
  expect(readFileSync(join(other, 'config.toml'), 'utf8')).toBe('port = 1\n')
  expect(readdirSync(join(other, 'models.d')).sort()).toEqual([longName, 'me%2Ftiny.toml'])
  expect(readdirSync(other).filter((name) => name.startsWith('.'))).toEqual([])
})

test('keys and certificates of TLS come back with a backup, for their owner alone', async () => {
  openBooks(data, 5)[Symbol.dispose]()
  mkdirSync(join(data, 'tls'), { mode: 0o700 })
  for (const name of ['root.key', 'root.pem', 'acme.json'])
    writeFileSync(join(data, 'tls', name), name, { mode: 0o600 })
  writeFileSync(join(data, 'tls', 'root.key.new'), 'half')
  await write()
  writeFileSync(join(data, 'tls', 'root.key'), 'another')
  expect(await restore()).toMatchObject({ tlsFiles: 3 })
  expect(readdirSync(join(data, 'tls')).sort()).toEqual(['acme.json', 'root.key', 'root.pem'])
  expect(readFileSync(join(data, 'tls', 'root.key'), 'utf8')).toBe('root.key')
  expect(statSync(join(data, 'tls', 'root.key')).mode & 0o777).toBe(0o600)
})

test('it is a tar archive that other programs read', async () => {
  using _ = openBooks(data, 5_000)
  await write()
  const listed = Bun.spawnSync(['tar', 'tf', target])
  expect(listed.stdout.toString()).toBe('backup.json\ninferd.db\nSHA256\n')
})

test('a backup that was cut off, or changed in any byte, is found', async () => {
  using _ = openBooks(data, 5_000)
  await write()
  const whole = readFileSync(target)
  const other = newDataFolder('other')
  const ends = Array.from({ length: 2_100 }, (_each, index) => whole.length - 1 - index * 7).filter(
    (at) => at > whole.length - 3_000,
  )
  const spread = Array.from({ length: 20 }, (_each, index) => Math.floor((index * whole.length) / 20))
  for (const position of [...spread, 100, 156, ...ends.slice(0, 400).filter((_at, index) => index % 20 === 0)]) {
    const changed = Buffer.from(whole)
    changed[position] = (changed[position] ?? 0) ^ 1
    writeFileSync(target, changed)
    expect(await restore(realDisk, other).catch((error: Error) => error.message)).toContain('was cut off or changed')
  }
  for (const length of [0, 1, 512, 3_000, whole.length - 1, whole.length - 512]) {
    writeFileSync(target, whole.subarray(0, length))
    expect(await restore(realDisk, other).catch((error: Error) => error.message)).toContain('was cut off or changed')
  }
  writeFileSync(target, Buffer.concat([whole, Buffer.alloc(512)]))
  expect(await restore(realDisk, other).catch((error: Error) => error.message)).toContain('was cut off or changed')
  expect(existsSync(other)).toBe(false)
})

test('what cannot be written or read says where, why and what to do', async () => {
  using _ = openBooks(data, 5_000)
  const messageOf = (work: Promise<unknown>) => work.catch((error: Error) => `${error.name}: ${error.message}`)
  const full: Disk = {
    ...realDisk,
    open: () => Promise.reject(new Error('ENOSPC: no space left on device, write')),
  }
  const notWritten = `BackupError: ${target} was not written: ENOSPC: no space left on device, write; it needs room`
  expect(await messageOf(write({ disk: full }))).toStartWith(notWritten)
  writeFileSync(join(folder, 'file'), '')
  const below = join(folder, 'file', 'b.tar')
  expect(await messageOf(write({ to: below }))).toStartWith(`BackupError: ${join(folder, 'file')} is no folder; `)
  const options = { dataDir: data, actor: 'cli:ada', nowMs: 0, isForced: false }
  const noFile = `BackupError: ${folder} is a folder; name a backup in it`
  expect(await messageOf(restoreBackup({ ...options, path: folder }))).toBe(noFile)
})

test('books that do not add up are not restored, unless that is wanted', async () => {
  using books = openBooks(data, 5_000)
  const triggers = books.database
    .query<{ name: string; sql: string }, []>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all()
  for (const { name } of triggers) books.database.run(`DROP TRIGGER ${name}`)
  books.database.run('UPDATE accounts SET balance = 9')
  for (const { sql } of triggers) books.database.run(sql)
  await write()
  expect(await restore().catch((error: Error) => error.message)).toMatch(/books .* do not add up \(.*\): .*--force/)
})

/** Returns a disk that fails from step `steps` on, as if the process had been killed there. */
function mortal(steps: number): Disk {
  let left = steps
  const step = <Result>(work: () => Promise<Result>) =>
    left-- > 0 ? work() : Promise.reject<Result>(new Error('killed'))
  return {
    open: (path) =>
      step(async () => {
        const file = await realDisk.open(path)
        const write = (bytes: Uint8Array, offset: number) => step(() => file.write(bytes, offset))
        return { ...file, write, flush: () => step(() => file.flush()) }
      }),
    rename: (from, to) => step(() => realDisk.rename(from, to)),
    remove: (path) => step(() => realDisk.remove(path)),
    flushFolder: (path) => step(() => realDisk.flushFolder(path)),
    room: realDisk.room,
  }
}

test('a backup that ends at any step leaves no file, or a whole one', async () => {
  using _ = openBooks(data, 5_000)
  for (let steps = 0; steps < 100; steps++) {
    const disk = mortal(steps)
    const failed = await write({ disk }).then(
      () => false,
      () => true,
    )
    if (existsSync(target))
      expect((await restore(realDisk, newDataFolder(`whole-${steps}`))).balancesNanoUsd).toBe(5_000)
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
    rmSync(target, { force: true })
    if (!failed) break
  }
})

test('a disk without room refuses a backup before its first byte', async () => {
  using _ = openBooks(data, 5_000)
  const disk = { ...realDisk, room: async () => ({ freeBytes: 1_000_000, totalBytes: 1e12 }) }
  expect(await write({ disk }).catch((error: Error) => error.message)).toMatch(
    /has 1 MB free and a backup needs .*: make room/,
  )
  expect(readdirSync(folder)).toEqual(['data'])
})

test('a database is backed up and checked in a thread', async () => {
  using _ = openBooks(data, 5_000)
  const path = join(data, 'inferd.db')
  const options = { dataDir: data, settingsFile: undefined, target, version: '1.2.3', nowMs: 5 }
  const backup = await askDatabaseThread({ type: 'back-up', ...options })
  expect(backup).toEqual({ path: target, bytes: statSync(target).size, createdMs: 5 })
  expect(await askDatabaseThread({ type: 'check', path })).toMatchObject({ problems: [], balancesNanoUsd: 5_000 })
  const missing = askDatabaseThread({ type: 'check', path: join(folder, 'none.db') })
  expect(await missing.catch((error: Error) => error.message)).toContain('none.db cannot be read')
})

test('the commands make a backup and restore it; a running server refuses the restore', async () => {
  openBooks(data, 5_000)[Symbol.dispose]()
  const run = (...words: string[]) => runCommand(words, { INFERD_DATA: data })
  expect(await run('backup', target)).toMatchObject({ code: 0, out: expect.stringContaining(`${target}, `) })
  expect(await run('backup', target)).toMatchObject({ code: 1, error: expect.stringContaining('is there already') })
  const { path } = JSON.parse((await run('backup', '--json')).out)
  expect(path).toMatch(/data\/backups\/inferd-\d{8}T\d{6}Z\.tar$/)
  const { takeServerLock } = await import('../db/server-lock.ts')
  const lock = takeServerLock(join(data, 'server.lock'))
  expect(await run('restore', target)).toMatchObject({
    code: 1,
    error: expect.stringContaining('stop it before a restore'),
  })
  expect((await run('restore', target, '--check')).out).toContain('1 account with $0.000005, 0 manifests.\n')
  lock?.[Symbol.dispose]()
  const { code, out } = await run('restore', target)
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/What was there is in .*replaced-/) })
})

test('a folder that nobody may write to fails a backup with the reason', async () => {
  using _ = openBooks(data, 5_000)
  writeFileSync(join(folder, 'file'), '')
  expect(await write({ to: join(folder, 'file', 'b.tar') }).catch((error: Error) => error.message)).toContain('file')
})

test('a backup that is killed leaves no file, and the next one removes what it left', async () => {
  using books = openBooks(data, 5_000)
  books.database.run('CREATE TABLE filler AS SELECT randomblob(20000000) AS content')
  const words = [...testedProgram, 'backup', target, '--data', data]
  const hasBegun = Promise.withResolvers<void>()
  const watcher = watch(folder, (_event, name) => {
    if (name === '.inferd-backup.importing') hasBegun.resolve()
  })
  const child = Bun.spawn(words, { stdout: 'ignore', stderr: 'ignore' })
  await hasBegun.promise
  watcher.close()
  child.kill('SIGKILL')
  await child.exited
  expect(readdirSync(folder).sort()).toEqual(['.inferd-backup.importing', 'data'])
  await write()
  expect(readdirSync(folder).sort()).toEqual(['b.tar', 'data'])
})

test('a backup is never made below a folder that is not there, such as that of a disk which is not mounted', async () => {
  using _books = openBooks(data, 5_000)
  const missing = join(folder, 'mnt', 'disk')
  for (const path of [join(missing, 'b.tar'), `${missing}/`]) {
    expect(await runCommand(['backup', path, '--data', data], {})).toEqual({
      ...{ code: 1, out: '', error: `inferd: there is no folder ${missing}; mount its disk, or make it, first\n` },
    })
  }
  const named = await runCommand(['backup', '--data', data], { INFERD_BACKUP_FOLDER: missing })
  expect(named).toMatchObject({ code: 1, error: expect.stringContaining(`there is no folder ${missing}; `) })
  writeFileSync(join(folder, 'file'), '')
  expect(await runCommand(['backup', join(folder, 'file', 'b.tar'), '--data', data], {})).toMatchObject({
    ...{ code: 1, error: expect.stringContaining(`${join(folder, 'file')} is no folder`) },
  })
  expect(readdirSync(folder).sort()).toEqual(['data', 'file'])
  // The default folder is in the data folder.
  expect(await runCommand(['backup', '--data', data], {})).toMatchObject({ code: 0 })
})

test('the doctor knows a backup that was just made, wherever it went, also when its disk is gone', async () => {
  using _books = openBooks(data, 5_000)
  const doctor = async () => {
    const { out } = await runCommand(['doctor', '--data', data], {})
    return out.split('\n').find((line) => /\bbackup\b/.test(line))
  }
  expect(await doctor()).toContain(`there is no backup; 'inferd backup --data ${data}' makes one`)
  const elsewhere = join(folder, 'disk')
  mkdirSync(elsewhere)
  const path = join(elsewhere, 'b.tar')
  expect(await runCommand(['backup', path, '--data', data], {})).toMatchObject({ code: 0 })
  expect(await doctor()).toMatch(new RegExp(`^ok +the latest backup was made today, .*: ${path}$`))
  rmSync(elsewhere, { recursive: true })
  expect(await doctor()).toContain(path)
})

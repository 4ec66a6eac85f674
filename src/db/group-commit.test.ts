import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, fdatasyncSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storageReason } from '../core/errors.ts'
import { slowDisk } from '../testing/slow-disk.ts'
import { until } from '../testing/until.ts'
import { GroupCommit, type GroupCommitOptions } from './group-commit.ts'

function openNotes(options: GroupCommitOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-test-'))
  const path = join(folder, 'notes.db')
  const database = new Database(path, { create: true, strict: true })
  database.run('PRAGMA journal_mode = WAL')
  database.run('PRAGMA synchronous = FULL')
  database.run('CREATE TABLE notes (text TEXT PRIMARY KEY) STRICT')
  // Connection that sees only committed rows.
  const reader = new Database(path, { readonly: true })
  const insert = database.prepare('INSERT INTO notes VALUES (?)')
  return {
    folder,
    path,
    database,
    /** Locks the database as another process would, until disposed. */
    lock: () => {
      const other = new Database(path)
      other.run('BEGIN IMMEDIATE')
      return { [Symbol.dispose]: () => other.close() }
    },
    commits: new GroupCommit(database, { lockWaitMs: 60_000, ...options }),
    add: (text: string) => insert.run(text).changes,
    committed: () =>
      reader
        .query<{ text: string }, []>('SELECT text FROM notes')
        .all()
        .map((row) => row.text),
    [Symbol.dispose]: () => {
      reader.close()
      database.close()
      rmSync(folder, { recursive: true })
    },
  }
}

test('work of one moment is committed together, in order, and tells its result after that', async () => {
  using notes = openNotes()
  const seen: string[][] = []
  const first = notes.commits
    .run(() => notes.add('a'))
    .then((changes) => seen.push([String(changes), ...notes.committed()]))
  const second = notes.commits.run(() => notes.add('b')).then(() => seen.push(notes.committed()))
  expect(notes.committed()).toEqual([])
  await Promise.all([first, second])
  expect(seen).toEqual([
    ['1', 'a', 'b'],
    ['a', 'b'],
  ])
})

test('work that throws is undone alone', async () => {
  using notes = openNotes()
  const outcomes = await Promise.allSettled([
    notes.commits.run(() => notes.add('a')),
    notes.commits.run(() => {
      notes.add('half')
      throw new Error('no')
    }),
    notes.commits.run(() => notes.add('a')),
    notes.commits.run(() => notes.add('b')),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(outcomes[1]).toMatchObject({ reason: new Error('no') })
  expect(notes.committed()).toEqual(['a', 'b'])
})

test('a commit that fails fails all of its work, and the next one goes on', async () => {
  using notes = openNotes()
  notes.database.run('PRAGMA max_page_count = 3')
  const large = 'x'.repeat(100_000)
  const outcomes = await Promise.allSettled([
    notes.commits.run(() => notes.add('a')),
    notes.commits.run(() => notes.add(large)),
    notes.commits.run(() => notes.add('b')),
  ])
  // On a full disk SQLite gives up the whole transaction or only the statement, never half of it.
  const kept = notes.committed()
  expect(outcomes.map(({ status }) => status)).toEqual(
    ['a', large, 'b'].map((text) => (kept.includes(text) ? 'fulfilled' : 'rejected')),
  )
  expect(kept).not.toContain(large)
  await notes.commits.run(() => notes.add('c'))
  expect(notes.committed()).toContain('c')
})

test('durable work waits for the disk, and other work does not', async () => {
  const disk = slowDisk()
  using notes = openNotes(disk)
  const done: string[] = []
  const durable = notes.commits.run(() => notes.add('a')).then(() => done.push('a'))
  await notes.commits.run(() => notes.add('b'), { isDurable: false })
  await notes.commits.run(() => notes.add('c'), { isDurable: false })
  expect([done, notes.committed()]).toEqual([[], ['a', 'b', 'c']])
  expect(disk.flushes).toHaveLength(1)
  disk.flushes[0]?.resolve()
  await durable
  expect(done).toEqual(['a'])
})

test('in calm times work is committed at once, in busy ones at the end of the turn', async () => {
  using notes = openNotes()
  const add = (text: string) => void notes.commits.run(() => notes.add(text), { isDurable: false })
  const turn = () => new Promise(setImmediate)
  add('a')
  add('b')
  await null
  expect(notes.committed()).toEqual(['a', 'b'])
  add('c')
  await null
  expect(notes.committed()).toEqual(['a', 'b'])
  await turn()
  expect(notes.committed()).toEqual(['a', 'b', 'c'])
  for (const text of ['d', 'e', 'f']) {
    const before = notes.committed()
    add(text)
    await null
    expect(notes.committed()).toEqual(before)
    await turn()
    expect(notes.committed()).toEqual([...before, text])
  }
  add('g')
  await null
  expect(notes.committed()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'])
})

test('work that comes while another waits for the lock is committed with it, and what follows goes on', async () => {
  using notes = openNotes()
  const lock = notes.lock()
  const first = notes.commits.run(() => notes.add('a'))
  await new Promise(setImmediate) // it was tried
  const second = notes.commits.run(() => notes.add('b'))
  await new Promise(setImmediate)
  lock[Symbol.dispose]()
  await Promise.all([first, second])
  await notes.commits.run(() => notes.add('c'))
  expect(notes.committed()).toEqual(['a', 'b', 'c'])
})

test('what is committed while the disk is waited for shares the next wait', async () => {
  const disk = slowDisk()
  using notes = openNotes(disk)
  let done = 0
  const add = (text: string) => notes.commits.run(() => notes.add(text)).then(() => void done++)
  const first = add('first')
  await until('the first is committed', notes.committed, (texts) => texts.length === 1)
  const others: Promise<void>[] = []
  for (let round = 1; round <= 8; round++) {
    for (let index = 0; index < 4; index++) others.push(add(`${round}.${index}`))
    await until('the round is committed', notes.committed, (texts) => texts.length === 1 + 4 * round)
  }
  expect([disk.flushes.length, done]).toEqual([1, 0])
  disk.flushes[0]?.resolve()
  await first
  await until(
    'the next wait begins',
    () => disk.flushes.length,
    (flushes) => flushes === 2,
  )
  expect(done).toBe(1)
  disk.flushes[1]?.resolve()
  await Promise.all(others)
  expect([disk.flushes.length, done]).toEqual([2, 33])
})

test('what the disk does not take from the log is written to the file of the database', async () => {
  using notes = openNotes({ flush: () => Promise.reject(new Error('the disk fails')) })
  await notes.commits.run(() => notes.add('a'))
  notes.commits.requireStorage()
  const pages = notes.database.query<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(PASSIVE)').get()
  expect(pages?.checkpointed).toBe(pages?.log)
})

test('when the disk takes nothing durable work fails, and new work is refused until a commit gets through', async () => {
  const disk = slowDisk()
  using notes = openNotes(disk)
  const failed = notes.commits.run(() => notes.add('a')).catch((error: unknown) => error)
  await until('it is committed', notes.committed, (texts) => texts.length === 1)
  const [flush] = disk.flushes
  {
    // The log cannot be moved into the file while another process holds the lock.
    using _ = notes.lock()
    flush?.reject(new Error('the disk fails'))
    expect(storageReason(await failed)).toBe('another process keeps it locked')
  }
  expect(() => notes.commits.requireStorage()).toThrow('another process keeps it locked')
  // The log is no longer trusted, so flushing it again is not enough.
  await notes.commits.run(() => notes.add('b'))
  notes.commits.requireStorage()
  expect(disk.flushes).toHaveLength(1)
})

test('a commit from before a failure of the storage does not end it', async () => {
  const disk = slowDisk()
  using notes = openNotes({ ...disk, lockWaitMs: 1 })
  const older = notes.commits.run(() => notes.add('a'))
  await until('it is committed', notes.committed, (texts) => texts.length === 1)
  using _ = notes.lock()
  await notes.commits.run(() => notes.add('b')).catch(() => undefined)
  disk.flushes[0]?.resolve()
  await older
  expect(() => notes.commits.requireStorage()).toThrow('another process keeps it locked')
})

test('a power cut at any moment loses nothing that was told to be durable', async () => {
  let survivors: string[] = []
  const folder = mkdtempSync(join(tmpdir(), 'inferd-test-'))
  const copy = join(folder, 'copy.db')
  // A flush guarantees only the content that the files had when it began.
  const flush = async (descriptor: number) => {
    for (const suffix of ['', '-wal']) copyFileSync(`${notes.path}${suffix}`, `${copy}${suffix}`)
    rmSync(`${copy}-shm`, { force: true })
    fdatasyncSync(descriptor)
    await new Promise((resolve) => setImmediate(resolve))
    const database = new Database(copy)
    survivors = database
      .query<{ text: string }, []>('SELECT text FROM notes')
      .all()
      .map(({ text }) => text)
    database.close()
  }
  using notes = openNotes({ flush })
  // SQLite then restarts the log often.
  notes.database.run('PRAGMA wal_autocheckpoint = 4')
  for (let round = 0; round < 20; round++) {
    const texts = Array.from({ length: 1 + (round % 4) }, (_, index) => `${round}.${index}`)
    const told = texts.map(async (text) => {
      await notes.commits.run(() => notes.add(text))
      expect(survivors).toContain(text)
    })
    await Promise.all(told)
  }
  rmSync(folder, { recursive: true })
})

test('closing commits what waits and refuses what comes later', async () => {
  using notes = openNotes()
  const waiting = notes.commits.run(() => notes.add('a'))
  notes.commits.close()
  expect(notes.committed()).toEqual(['a'])
  expect(await waiting).toBe(1)
  expect(notes.commits.run(() => notes.add('b'))).rejects.toThrow('closed')
})

test('while another process keeps the database locked, work waits in its order and nothing else does', async () => {
  using notes = openNotes()
  const lock = notes.lock()
  const done: string[] = []
  const first = notes.commits.run(() => notes.add('a')).then(() => done.push('a'))
  // Let timers and sockets run, which give the lock back.
  await new Promise((resolve) => setImmediate(() => setTimeout(resolve)))
  const second = notes.commits.run(() => notes.add('b'), { isDurable: false }).then(() => done.push('b'))
  expect(done).toEqual([])
  lock[Symbol.dispose]()
  await Promise.all([first, second])
  expect(notes.committed()).toEqual(['a', 'b'])
})

test('work that has waited long enough for a lock fails, and so does new work until the lock is gone', async () => {
  using notes = openNotes({ lockWaitMs: 1 })
  const lock = notes.lock()
  const failure = await notes.commits.run(() => notes.add('a')).catch((error: unknown) => error)
  expect(storageReason(failure)).toBe('another process keeps it locked')
  expect(() => notes.commits.requireStorage()).toThrow('another process keeps it locked')
  lock[Symbol.dispose]()
  await notes.commits.run(() => notes.add('b'))
  notes.commits.requireStorage()
  expect(notes.committed()).toEqual(['b'])
})

test('a commit that the disk refuses fails, and so does new work until one gets through', async () => {
  using notes = openNotes()
  notes.database.run('PRAGMA query_only = ON')
  const failure = await notes.commits.run(() => notes.add('a')).catch((error: unknown) => error)
  expect(storageReason(failure)).toBe('it is read-only')
  expect(() => notes.commits.requireStorage()).toThrow('it is read-only')
  notes.database.run('PRAGMA query_only = OFF')
  await notes.commits.run(() => notes.add('b'))
  notes.commits.requireStorage()
})

test.each(['notes.db', 'notes.db-wal'])('nothing is committed into a file that was moved away (%s)', async (name) => {
  using notes = openNotes()
  const path = join(notes.folder, name)
  renameSync(path, `${path}.away`)
  writeFileSync(path, '')
  const failure = await notes.commits.run(() => notes.add('a')).catch((error: unknown) => error)
  expect(storageReason(failure)).toContain('its files were moved, deleted or replaced')
  expect(() => notes.commits.requireStorage()).toThrow('its files were moved, deleted or replaced')
  renameSync(`${path}.away`, path)
  notes.commits.requireStorage()
  await notes.commits.run(() => notes.add('b'))
  expect(notes.committed()).toEqual(['b'])
})

test('a failure of the work alone says nothing about the disk', async () => {
  using notes = openNotes()
  await notes.commits.run(() => notes.add('a'))
  await expect(notes.commits.run(() => notes.add('a'))).rejects.toThrow('UNIQUE')
  notes.commits.requireStorage()
})

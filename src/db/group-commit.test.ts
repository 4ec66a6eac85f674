import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storageReason } from '../core/errors.ts'
import { GroupCommit } from './group-commit.ts'

function openNotes({ lockWaitMs = 60_000 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-test-'))
  const path = join(folder, 'notes.db')
  const database = new Database(path, { create: true, strict: true })
  database.run('PRAGMA journal_mode = WAL')
  database.run('PRAGMA synchronous = FULL')
  database.run('CREATE TABLE notes (text TEXT PRIMARY KEY) STRICT')
  // Another connection sees what is committed and nothing else.
  const reader = new Database(path, { readonly: true })
  const insert = database.prepare('INSERT INTO notes VALUES (?)')
  return {
    folder,
    database,
    /** Takes the place of the only writer until it is disposed, as another process would. */
    lock: () => {
      const other = new Database(path)
      other.run('BEGIN IMMEDIATE')
      return { [Symbol.dispose]: () => other.close() }
    },
    commits: new GroupCommit(database, { lockWaitMs }),
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
  // SQLite gives the whole transaction up when the disk is full, or the statement alone: never half of it.
  const kept = notes.committed()
  expect(outcomes.map(({ status }) => status)).toEqual(
    ['a', large, 'b'].map((text) => (kept.includes(text) ? 'fulfilled' : 'rejected')),
  )
  expect(kept).not.toContain(large)
  await notes.commits.run(() => notes.add('c'))
  expect(notes.committed()).toContain('c')
})

test('only work that need not wait for the disk does not', async () => {
  using notes = openNotes()
  const level = () => notes.database.query<{ synchronous: number }, []>('PRAGMA synchronous').get()?.synchronous
  const seen = await Promise.all([notes.commits.run(level, { isDurable: false })])
  const mixed = await Promise.all([notes.commits.run(level, { isDurable: false }), notes.commits.run(level)])
  expect([...seen, ...mixed, level()]).toEqual([1, 2, 2, 2])
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
  // Timers and sockets come to their turn: the lock would never be given back otherwise.
  await new Promise((resolve) => setImmediate(() => setTimeout(resolve)))
  const second = notes.commits.run(() => notes.add('b'), { isDurable: false }).then(() => done.push('b'))
  expect(done).toEqual([])
  lock[Symbol.dispose]()
  await Promise.all([first, second])
  expect(done).toEqual(['a', 'b'])
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

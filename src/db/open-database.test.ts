import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate, schemaVersion } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { openDatabase, openForReading } from './open-database.ts'
import { schemaDifferences } from './schema-differences.ts'
import { takeServerLock } from './server-lock.ts'

function freshPath(): string {
  return join(mkdtempSync(join(tmpdir(), 'inferd-db-')), 'inferd.db')
}

test('a new database has the newest schema and is readable by its owner only', () => {
  const path = freshPath()
  const database = openDatabase(path)
  expect(schemaVersion(database)).toBe(migrations.length)
  for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(existsSync(`${path}.v0.backup`)).toBe(false)
  database.close()
})

test('writes wait for the disk and foreign keys are checked', () => {
  const database = openDatabase(freshPath())
  const pragma = (name: string) =>
    Object.values(database.query<Record<string, unknown>, []>(`PRAGMA ${name}`).get() ?? {})[0]
  expect(pragma('journal_mode')).toBe('wal')
  expect(pragma('synchronous')).toBe(2)
  expect(pragma('busy_timeout')).toBe(5000)
  expect(() =>
    database.run(
      "INSERT INTO api_keys (id, account_id, name, prefix, hash, created) VALUES ('k', 'nobody', 'n', 'p', zeroblob(32), 0)",
    ),
  ).toThrow('FOREIGN KEY')
  database.close()
})

test('tables refuse values of the wrong type', () => {
  const database = openDatabase(':memory:')
  expect(() => database.run("INSERT INTO accounts (id, name, created) VALUES ('a', 'n', 'yesterday')")).toThrow(
    'INTEGER',
  )
})

test('a database written by a newer version is refused and left alone', () => {
  const path = freshPath()
  openDatabase(path).close()
  const newer = new Database(path)
  newer.run('PRAGMA user_version = 999')
  newer.close()
  expect(() => openDatabase(path)).toThrow(/newer inferd \(schema 999/)
  const again = new Database(path)
  expect(schemaVersion(again)).toBe(999)
})

test('an existing database is copied before it is migrated', () => {
  const path = freshPath()
  const first = openDatabase(path)
  first.run("INSERT INTO accounts (id, name, created) VALUES ('acc_1', 'kept', 1)")
  migrate(first, [...migrations, { name: '9999_next', sql: 'CREATE TABLE next (id TEXT) STRICT' }])
  expect(schemaVersion(first)).toBe(migrations.length + 1)
  const backup = `${path}.v${migrations.length}.backup`
  expect(statSync(backup).mode & 0o777).toBe(0o600)
  const copy = new Database(backup)
  expect(schemaVersion(copy)).toBe(migrations.length)
  expect(copy.query('SELECT name FROM accounts').values()).toEqual([['kept']])
})

test('a migration that fails changes nothing', () => {
  const database = openDatabase(freshPath())
  const broken = { name: '9998_broken', sql: 'CREATE TABLE half (id TEXT) STRICT; INSERT INTO nowhere VALUES (1)' }
  expect(() => migrate(database, [...migrations, broken])).toThrow('migration 9998_broken')
  expect(schemaVersion(database)).toBe(migrations.length)
  expect(database.query("SELECT 1 FROM sqlite_schema WHERE name = 'half'").get()).toBeNull()
})

test('processes that open a new database at the same time all find it whole', async () => {
  const path = freshPath()
  const module = join(import.meta.dir, 'open-database.ts')
  const script = `const { openDatabase } = await import(${JSON.stringify(module)}); openDatabase(${JSON.stringify(path)}).close()`
  const children = Array.from({ length: 4 }, () => Bun.spawn([process.execPath, '-e', script], { stderr: 'pipe' }))
  const errors = await Promise.all(children.map((child) => new Response(child.stderr).text()))
  expect(errors).toEqual(['', '', '', ''])
  const database = openDatabase(path)
  expect(schemaVersion(database)).toBe(migrations.length)
})

test('a migration that another process has just done is not done again', () => {
  const path = freshPath()
  const first = openDatabase(path)
  const second = openDatabase(path)
  const more = [...migrations, { name: '9997_more', sql: 'CREATE TABLE more (id TEXT) STRICT' }]
  migrate(first, more)
  migrate(second, more)
  expect(schemaVersion(second)).toBe(more.length)
})

test('a file that is no database is named in the error', () => {
  const path = freshPath()
  writeFileSync(path, 'certainly not a database, but long enough to be looked at. '.repeat(20))
  expect(() => openDatabase(path)).toThrow(path)
})

test('the lock of a data folder is held by one and free again after its release', () => {
  const path = `${freshPath()}.lock`
  const lock = takeServerLock(path)
  expect(lock).toBeDefined()
  expect(takeServerLock(path)).toBeUndefined()
  lock?.[Symbol.dispose]()
  const next = takeServerLock(path)
  expect(next).toBeDefined()
  next?.[Symbol.dispose]()
})

test('a database with money in it keeps its rows when idempotency keys and indexes are added', () => {
  const path = freshPath()
  const old = new Database(path, { create: true })
  for (const { sql } of migrations.slice(0, 2)) old.run(sql)
  old.run("INSERT INTO accounts (id, name, created) VALUES ('acc_a', 'a', 1)")
  old.run(
    "INSERT INTO ledger (account_id, kind, amount, balance_after, actor, created) VALUES ('acc_a', 'credit', 5, 5, 'x', 1)",
  )
  old.run('PRAGMA user_version = 2')
  old.close()
  const database = openDatabase(path)
  expect(database.query('SELECT balance_after, idempotency_key FROM ledger').values()).toEqual([[5, null]])
  expect(database.query('SELECT balance FROM accounts').values()).toEqual([[5]])
  expect(schemaDifferences(database)).toEqual([])
  expect(existsSync(`${path}.v2.backup`)).toBe(true)
})

test('sessions go on and the oldest unmetered account becomes the operator’s when operators are added', () => {
  const path = freshPath()
  const old = new Database(path, { create: true })
  for (const { sql } of migrations.slice(0, 4)) old.run(sql)
  old.run('PRAGMA user_version = 4')
  old.run(
    "INSERT INTO accounts (id, name, is_unmetered, created) VALUES ('paying', 'Ada', 0, 1), ('own', 'operator', 1, 2)",
  )
  old.run("INSERT INTO accounts (id, name, is_unmetered, created) VALUES ('other', 'Bob', 1, 3)")
  old.run("INSERT INTO sessions VALUES (zeroblob(32), 'paying', 1, 5, 9)")
  old.close()
  const database = openDatabase(path)
  expect(database.query("SELECT id FROM accounts WHERE role = 'operator'").values()).toEqual([['own']])
  const columns = 'account_id, is_by_link, is_staff, created, last_used, expires, length(id)'
  expect(database.query(`SELECT ${columns} FROM sessions`).values()).toEqual([['paying', 1, 0, 5, 5, 9, 28]])
  expect(schemaDifferences(database)).toEqual([])
})

test('usage from before is told by day, and what comes after is added to it', () => {
  const path = freshPath()
  const old = new Database(path, { create: true })
  for (const { sql } of migrations.slice(0, 5)) old.run(sql)
  old.run('PRAGMA user_version = 5')
  old.run("INSERT INTO accounts (id, name, created) VALUES ('acc_a', 'a', 1)")
  old.run(
    "INSERT INTO api_keys (id, account_id, name, prefix, hash, created) VALUES ('key_a', 'acc_a', 'k', 'x', zeroblob(32), 1)",
  )
  const use = (database: Database, id: string, created: number) =>
    database.run(
      `INSERT INTO usage (request_id, account_id, key_id, endpoint, model, prompt_tokens, cached_tokens, completion_tokens,
         reasoning_tokens, characters, audio_ms, prices, cost, charged, finish, created)
       VALUES (?, 'acc_a', 'key_a', 'c', 'a/b', 1, 2, 3, 4, 5, 6, '{}', 7, 8, 'stop', ?)`,
      [id, created],
    )
  const dayMs = 24 * 60 * 60 * 1000
  for (const [id, created] of [
    ['r1', dayMs - 1],
    ['r2', dayMs],
    ['r3', dayMs + 5],
  ] as const)
    use(old, id, created)
  old.close()
  const database = openDatabase(path)
  use(database, 'r4', 2 * dayMs - 1)
  expect(database.query('SELECT * FROM usage_days ORDER BY day').values()).toEqual([
    ['acc_a', 0, 'key_a', 'a/b', 1, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0],
    ['acc_a', 1, 'key_a', 'a/b', 3, 3, 6, 9, 12, 15, 18, 21, 24, 0, 0, 0],
  ])
  expect(schemaDifferences(database)).toEqual([])
})

test('usage from before was counted, and what is estimated is summed up by day beside the rest', () => {
  const path = freshPath()
  const old = new Database(path, { create: true })
  for (const { sql } of migrations.slice(0, 7)) old.run(sql)
  old.run('PRAGMA user_version = 7')
  old.run("INSERT INTO accounts (id, name, created) VALUES ('acc_a', 'a', 1)")
  old.run(
    "INSERT INTO api_keys (id, account_id, name, prefix, hash, created) VALUES ('key_a', 'acc_a', 'k', 'x', zeroblob(32), 1)",
  )
  const use = (database: Database, id: string, columns = '', values = '') =>
    database.run(
      `INSERT INTO usage (request_id, account_id, key_id, endpoint, model, prompt_tokens, cached_tokens, completion_tokens,
         reasoning_tokens, characters, audio_ms, prices, cost, charged, finish, created ${columns})
       VALUES (?, 'acc_a', 'key_a', 'c', 'a/b', 1, 0, 3, 0, 0, 0, '{}', 7, 8, 'stop', 5 ${values})`,
      [id],
    )
  use(old, 'r1')
  old.close()
  const database = openDatabase(path)
  use(database, 'r2', ', estimated', ', 1')
  use(database, 'r3', ', estimated', ', 0')
  use(database, 'r4', ', estimated', ', 1')
  expect(database.query('SELECT request_id FROM usage WHERE estimated = 1').values()).toEqual([['r2'], ['r4']])
  const days = 'SELECT requests, prompt_tokens, cost, charged, estimated_requests, estimated_cost FROM usage_days'
  expect(database.query(days).values()).toEqual([[4, 4, 28, 32, 2, 14]])
  expect(() => use(database, 'r5', ', estimated', ', 2')).toThrow('CHECK')
  expect(schemaDifferences(database)).toEqual([])
})

test('what a server that died held is still there when the table of holds is made anew', () => {
  const path = freshPath()
  const old = new Database(path, { create: true })
  for (const { sql } of migrations.slice(0, 11)) old.run(sql)
  old.run('PRAGMA user_version = 11')
  old.run("INSERT INTO accounts (id, name, created) VALUES ('acc_a', 'a', 1)")
  old.run(
    "INSERT INTO ledger (account_id, kind, amount, balance_after, actor, created) VALUES ('acc_a', 'credit', 5, 5, 'x', 1)",
  )
  old.run("UPDATE accounts SET held = 3 WHERE id = 'acc_a'")
  old.run("INSERT INTO holds VALUES ('req_1', 'acc_a', 3, 2)")
  old.close()
  const database = openDatabase(path)
  expect(database.query('SELECT * FROM holds').values()).toEqual([['req_1', 'acc_a', 3, 2]])
  expect(database.query('SELECT balance, held FROM accounts').values()).toEqual([[5, 3]])
  expect(schemaDifferences(database)).toEqual([])
})

test('what the writer has committed is read, and nothing can be written', () => {
  const path = freshPath()
  const writer = openDatabase(path)
  const reader = openForReading(path)
  writer.run("INSERT INTO accounts (id, name, created) VALUES ('acc_a', 'a', 1)")
  expect(reader?.query('SELECT id FROM accounts').all()).toEqual([{ id: 'acc_a' }])
  expect(() => reader?.run("UPDATE accounts SET name = 'b'")).toThrow('readonly')
})

test('a database of an older version is not opened for reading', () => {
  const path = freshPath()
  openDatabase(path).run('PRAGMA user_version = 1')
  expect(openForReading(path)).toBeUndefined()
})

test('a database of a newer version, no database and no file are refused with their path', () => {
  const path = freshPath()
  expect(() => openForReading(path)).toThrow(`${path} cannot be read as a database: unable to open`)
  openDatabase(path).run('PRAGMA user_version = 99')
  expect(() => openForReading(path)).toThrow(`${path} was written by a newer inferd (schema 99, this one knows`)
  const other = `${path}.txt`
  writeFileSync(other, 'text'.repeat(1000))
  expect(() => openForReading(other)).toThrow(`${other} cannot be read as a database: file is not a database`)
})

test('tables of Litestream, which copies databases, are no difference, and any other table is one', () => {
  const database = openDatabase(freshPath())
  database.run('CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)')
  database.run('CREATE TABLE _litestream_lock (id INTEGER)')
  expect(schemaDifferences(database)).toEqual([])
  database.run('CREATE TABLE _litestream_other (id INTEGER)')
  expect(schemaDifferences(database)).toEqual([`table "_litestream_other" is not this program's`])
})

test('operators, their sessions and all keys keep their rights when roles and teams are added', () => {
  const path = freshPath()
  const old = new Database(path, { create: true })
  const first = migrations.findIndex(({ name }) => name.endsWith('_roles'))
  for (const { sql, changeRows } of migrations.slice(0, first)) {
    old.run(sql)
    changeRows?.(old)
  }
  old.run(`PRAGMA user_version = ${first}`)
  old.run("INSERT INTO accounts (id, name, is_operator, created) VALUES ('acc_op', 'Op', 1, 1), ('acc_me', 'Me', 0, 2)")
  const columns = 'hash, id, account_id, is_by_link, is_operator, created, last_used, expires'
  old.run(`INSERT INTO sessions (${columns}) VALUES (zeroblob(32), 'ses_1', 'acc_op', 0, 1, 1, 1, 9)`)
  old.run(
    "INSERT INTO api_keys (id, account_id, name, prefix, hash, created) VALUES ('key_1', 'acc_me', 'k', 'p', zeroblob(32), 1)",
  )
  old.close()
  const database = openDatabase(path)
  expect(database.query('SELECT id, role, role_source, kind FROM accounts ORDER BY created').values()).toEqual([
    ['acc_op', 'operator', 'hand', 'person'],
    ['acc_me', 'member', 'hand', 'person'],
  ])
  expect(database.query('SELECT account_id, is_staff FROM sessions').values()).toEqual([['acc_op', 1]])
  expect(database.query('SELECT account_id, holder_id, revoked FROM api_keys').values()).toEqual([
    ['acc_me', null, null],
  ])
  expect(schemaDifferences(database)).toEqual([])
})

import { beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from './open-database.ts'
import { openForReading } from './open-for-reading.ts'

let path = ''

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'inferd-reading-')), 'inferd.db')
})

test('what the writer has committed is read, and nothing can be written', () => {
  const writer = openDatabase(path)
  const reader = openForReading(path)
  writer.run("INSERT INTO accounts (id, name, created) VALUES ('acc_a', 'a', 1)")
  expect(reader?.query('SELECT id FROM accounts').all()).toEqual([{ id: 'acc_a' }])
  expect(() => reader?.run("UPDATE accounts SET name = 'b'")).toThrow('readonly')
})

test('a database of an older version is left to whoever may change it', () => {
  openDatabase(path).run('PRAGMA user_version = 1')
  expect(openForReading(path)).toBeUndefined()
})

test('a database of a newer version, no database and no file are refused with their path', () => {
  expect(() => openForReading(path)).toThrow(`${path} can not be read as a database: unable to open`)
  openDatabase(path).run('PRAGMA user_version = 99')
  expect(() => openForReading(path)).toThrow(`${path} was written by a newer inferd (schema 99, this one knows`)
  const other = `${path}.txt`
  writeFileSync(other, 'text'.repeat(1000))
  expect(() => openForReading(other)).toThrow(`${other} can not be read as a database: file is not a database`)
})

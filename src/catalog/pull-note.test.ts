import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readPullNote, removePullNote, writePullNote } from './pull-note.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-note-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, '.pull.json')
const progress = { doneBytes: 1, totalBytes: 3, promisedBytes: 2 }

test('a pull that runs is seen, and not afterwards', () => {
  expect(readPullNote(folder)).toBeUndefined()
  writePullNote(folder, progress)
  expect(readPullNote(folder)).toEqual({ pid: process.pid, ...progress })
  removePullNote(folder)
  expect(readPullNote(folder)).toBeUndefined()
  expect(readdirSync(folder)).toEqual([])
})

test('a note that cannot be written leaves nothing behind', () => {
  mkdirSync(file)
  writePullNote(folder, progress)
  expect(readdirSync(folder)).toEqual(['.pull.json'])
  rmSync(file, { recursive: true })
})

test('a note that a dead process left says nothing, even where its id is in use again', () => {
  writePullNote(folder, progress)
  const note = JSON.parse(readFileSync(file, 'utf8'))
  for (const left of [
    { ...note, startedAt: '1' },
    { ...note, pid: 2 ** 22 + 1 },
    { ...note, startedAt: undefined },
    3,
    null,
  ]) {
    writeFileSync(file, JSON.stringify(left))
    expect(readPullNote(folder)).toBeUndefined()
  }
  writeFileSync(file, '{')
  expect(readPullNote(folder)).toBeUndefined()
})

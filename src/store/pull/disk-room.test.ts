import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writePullNote } from '../../catalog/pull-note.ts'
import { promisedToOthers, readDiskRoom, roomProblem } from './disk-room.ts'

const GB = 1e9
const room = { freeBytes: 100 * GB, totalBytes: 1000 * GB, isFat: false }
const need = { missingBytes: 79 * GB, largestFileBytes: 79 * GB, promisedBytes: 0 }

test('2 % of a large disk and 5 GiB of a small one stay free', () => {
  expect(roomProblem(need, room)).toBeUndefined()
  expect(roomProblem({ ...need, missingBytes: 81 * GB }, room)).toBe(
    'the disk has 100 GB free and needs 1 GB more (81 GB to write, 20 GB that stay free): make room, or --force to try',
  )
  const small = { ...room, totalBytes: 100 * GB }
  expect(roomProblem({ ...need, missingBytes: 95 * GB }, small)).toContain('5.4 GB that stay free')
})

test('what other pulls still need counts', () => {
  expect(roomProblem({ ...need, promisedBytes: 2 * GB }, room)).toContain('needs 1 GB more')
})

test('a file of 4 GiB does not fit on FAT32, however large the disk is', () => {
  expect(roomProblem({ ...need, largestFileBytes: 4 * 1024 ** 3 }, { ...room, isFat: true })).toContain('FAT32')
  expect(roomProblem({ ...need, largestFileBytes: 4 * 1024 ** 3 - 1 }, { ...room, isFat: true })).toBeUndefined()
})

test('nothing to download needs no room', () => {
  expect(roomProblem({ ...need, missingBytes: 0 }, { ...room, freeBytes: 0 })).toBeUndefined()
})

test('the disk is read, also for a folder that is to be made; pulls are found by their notes', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'inferd-room-'))
  const { freeBytes, totalBytes } = await readDiskRoom(join(dataDir, 'a/b/c'))
  expect(totalBytes).toBeGreaterThan(freeBytes)
  expect(promisedToOthers(dataDir, ['a/b'])).toBe(0)
  for (const id of ['a/b', 'a/c']) {
    mkdirSync(join(dataDir, 'models', id), { recursive: true })
    writePullNote(join(dataDir, 'models', id), { doneBytes: 0, totalBytes: 9, promisedBytes: 5 })
  }
  expect(promisedToOthers(dataDir, ['a/b'])).toBe(5)
  rmSync(dataDir, { recursive: true })
})

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realDisk } from '../store/disk.ts'
import { UploadedBackups } from './uploaded-backups.ts'

const MiB = 1024 ** 2
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('an upload is limited by the room for it as a file and unpacked, beside what stays free', async () => {
  const limitWith = (freeBytes: number) =>
    new UploadedBackups(folder, {
      ...realDisk,
      room: async (path) => ({ ...(await realDisk.room(path)), freeBytes }),
    }).limitBytes()
  expect(await limitWith(1256 * MiB)).toBe(500 * MiB)
  expect(await limitWith(256 * MiB)).toBe(0)
  expect(await limitWith(0)).toBe(0)
})

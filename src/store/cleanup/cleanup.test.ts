/** Disk usage of models, garbage, and the space that a removal frees, with real files and links. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writePullNote } from '../../catalog/pull-note.ts'
import { realDisk } from '../disk.ts'
import { type LockedFile, writeLock } from '../lock.ts'
import { claimStaging } from '../staging-folder.ts'
import { diskUsage } from './disk-usage.ts'
import { findGarbage, removeGarbage } from './garbage.ts'
import { hideModel } from './remove-model.ts'

let dataDir = ''
const now = Date.UTC(2026, 10, 22)
const day = 24 * 60 * 60 * 1000

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'inferd-cleanup-'))
})

afterEach(() => rmSync(dataDir, { recursive: true }))

function write(name: string, bytes: number, ageDays = 0): string {
  const path = join(dataDir, 'models', name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, Buffer.alloc(bytes))
  const time = new Date(now - ageDays * day)
  utimesSync(path, time, time)
  return path
}

async function lock(modelId: string, ...names: string[]): Promise<void> {
  const files = names.map(
    (name): LockedFile => ({
      role: 'model',
      name,
      bytes: 0,
      sha256: 'a'.repeat(64),
      chunkSums: [],
      source: 'x',
      verifiedAtMs: 1,
      stat: { mtimeMs: 1, inode: 1 },
    }),
  )
  await writeLock(join(dataDir, 'models', modelId), { format: 1, modelId, files })
}

test('bytes of a model are its files, what it shares, its parts and what no lock lists', async () => {
  const shared = write('a/one/mmproj.gguf', 10)
  write('a/one/model.gguf', 100)
  write('a/one/next.gguf.part', 1000)
  write('a/one/old.gguf', 5)
  await lock('a/one', 'model.gguf', 'mmproj.gguf')
  mkdirSync(join(dataDir, 'models/a/two'))
  linkSync(shared, join(dataDir, 'models/a/two/mmproj.gguf'))
  symlinkSync('/etc/passwd', join(dataDir, 'models/a/two/link'))
  const [one, two] = diskUsage(dataDir)
  expect(one).toEqual({ modelId: 'a/one', fileBytes: 110, sharedBytes: 10, partBytes: 1000, unlistedBytes: 5 })
  expect(two).toMatchObject({ modelId: 'a/two', sharedBytes: 10, partBytes: 0, unlistedBytes: 0 })
})

test('garbage is old parts, left folders and what no lock lists; what the catalog names stays', async () => {
  write('a/one/model.gguf', 100)
  write('a/one/model2.gguf.part', 7, 31)
  write('a/one/model3.gguf.part', 7, 29)
  const used = write('a/one/used.gguf', 3)
  write('a/one/stray.bin', 4)
  await lock('a/one', 'model.gguf')
  write('a/without-lock/model.gguf', 9, 400)
  write('a/pulled/stray.bin', 1)
  await lock('a/pulled')
  writePullNote(join(dataDir, 'models/a/pulled'), { doneBytes: 0, totalBytes: 1, promisedBytes: 1 })
  write('a/.x.importing/new/model.gguf', 50)
  write('a/.x.removing-abc/files/model.gguf', 60)
  write('a/one/.voices.unpacking-abc/new/a.bin', 8, 31)
  using _running = claimStaging(join(dataDir, 'models/a/y'))
  const known = { ids: undefined, paths: new Set([used]) }
  const garbage = findGarbage(dataDir, known, now)
  expect(garbage.map(({ path, reason, bytes }) => [path, reason, bytes])).toEqual([
    ['a/one/.voices.unpacking-abc/new/a.bin', 'a download that stopped more than 30 days ago', 8],
    ['a/one/model2.gguf.part', 'a download that stopped more than 30 days ago', 7],
    ['a/one/stray.bin', 'no lock lists it', 4],
    ['a/.x.importing', 'left by a command that was killed', 50],
    ['a/.x.removing-abc', 'left by a command that was killed', 60],
  ])
  removeGarbage(dataDir, garbage)
  expect(findGarbage(dataDir, known, now)).toEqual([])
  expect(readdirSync(join(dataDir, 'models/a/one')).sort()).toEqual([
    'lock.json',
    'model.gguf',
    'model3.gguf.part',
    'used.gguf',
  ])
})

test('a folder of a model that no manifest describes is garbage after a day, if all manifests can be read', async () => {
  write('a/described/model.gguf', 1)
  write('a/orphan/model.gguf', 100)
  write('a/begun/model.gguf.part', 5)
  write('a/borrowed/model.gguf', 5)
  const paths = new Set([join(write('a/lent/data/model.bin', 5), '..'), join(dataDir, 'models/a/borrowed/model.gguf')])
  await lock('a/orphan', 'model.gguf')
  const find = (ids: ReadonlySet<string> | undefined, nowMs: number) =>
    findGarbage(dataDir, { ids, paths }, nowMs).map(({ path, reason }) => [path, reason])
  const described = new Set(['a/described'])
  expect(find(described, Date.now() + 2 * day)).toEqual([['a/orphan', 'no manifest describes it']])
  expect(find(described, Date.now())).toEqual([])
  expect(find(undefined, Date.now() + 2 * day)).toEqual([])
})

test('a removal frees what nothing else links, and empty folders go', async () => {
  const shared = write('a/one/mmproj.gguf', 10)
  write('a/one/model.gguf', 100)
  mkdirSync(join(dataDir, 'models/b'))
  linkSync(shared, join(dataDir, 'models/b/elsewhere'))
  const hidden = await hideModel(dataDir, 'a/one')
  expect(hidden?.freedBytes).toBe(100)
  expect(diskUsage(dataDir)).toEqual([])
  // `gc` must not take the folder in which a removal works.
  expect(findGarbage(dataDir, { ids: undefined, paths: new Set() }, now)).toEqual([])
  await hidden?.remove()
  expect(existsSync(join(dataDir, 'models/a'))).toBe(false)
  expect(existsSync(join(dataDir, 'models/b/elsewhere'))).toBe(true)
  expect(await hideModel(dataDir, 'a/one')).toBeUndefined()
})

test('of two removals at the same time one removes the model, and both leave no empty folder', async () => {
  write('a/one/model.gguf', 100)
  const first = await hideModel(dataDir, 'a/one', {
    ...realDisk,
    // A second removal of the model runs from start to end while the first one is under way.
    async remove() {
      const second = await hideModel(dataDir, 'a/one')
      expect(second?.freedBytes).toBe(100)
      await second?.remove()
    },
  })
  expect(first).toBeUndefined()
  expect(existsSync(join(dataDir, 'models/a'))).toBe(false)
})

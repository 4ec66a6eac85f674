/** Bundles: created, copied, damaged, checked, installed. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type BundleBox, bundleBox, flipByte } from '../../testing/bundle-box.ts'
import { realDisk } from '../disk.ts'
import { hashFile } from '../hash-file.ts'
import { readLock, writeLock } from '../lock.ts'
import { lockedFile } from '../pull/place-file.ts'
import { verifyModel } from '../verify/verify-model.ts'
import { minimumVolumeBytes } from './plan-volumes.ts'
import { readTrusted } from './trust.ts'
import { listedFiles, verifyBundle } from './verify-bundle.ts'

let box: BundleBox
beforeEach(async () => {
  box = bundleBox()
  await box.addModel('org/one')
  await box.addModel('org/two')
})
afterEach(() => box[Symbol.dispose]())

const both = ['org/one', 'org/two']

async function stick(to = 'stick'): Promise<string> {
  return (await box.bundle(both, to)).folders[0] ?? ''
}

async function check(...roots: string[]) {
  const { manifest } = await readTrusted(roots[0] ?? '', box.trust)
  return await verifyBundle(roots, manifest)
}

/** Adds a file to a model. */
async function addFile(id: string, name: string, text: string): Promise<void> {
  const folder = join(box.dataDir, 'models', id)
  writeFileSync(join(folder, name), text)
  const lock = readLock(folder)
  if (lock === undefined) throw new Error(`${id} has no lock`)
  const file = await lockedFile(folder, { role: 'extra', name, source: 'file' }, await hashFile(join(folder, name)))
  await writeLock(folder, { ...lock, files: [...lock.files, file] })
}

/** Returns the paths of all files below the root. */
function filesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort()
}

test('what is made holds the listed files, its manifest and its signature, and nothing else', async () => {
  const root = await stick()
  const { manifest } = await readTrusted(root, box.trust)
  const listed = listedFiles(manifest).map(({ path }) => path)
  expect(filesIn(root)).toEqual([...listed, 'manifest.json', 'manifest.json.minisig'].sort())
  expect(await check(root)).toMatchObject({ missing: [], bad: [] })
  expect(manifest.serial).toBe(20_261_122_093_007)
})

test('a model is on an empty box what it was on the first', async () => {
  const { dataDir, catalog, ...result } = await box.install([await stick()], 'fresh')
  expect(result).toEqual({ installed: both, kept: [], missing: [] })
  for (const id of both) {
    expect(catalog.resolve(id)?.entry.status).toEqual({ kind: 'ready' })
    const name = `${id.replace('/', '-')}.gguf`
    const [from, to] = [box.dataDir, dataDir].map((dir) => readFileSync(join(dir, 'models', id, name)))
    expect(from?.equals(to ?? Buffer.alloc(0))).toBe(true)
    expect(readdirSync(join(dataDir, 'models', id)).sort()).toEqual(['lock.json', name])
    expect(statSync(join(dataDir, 'models', id, name)).mode & 0o777).toBe(0o600)
    expect(readLock(join(dataDir, 'models', id))?.files).toMatchObject([{ name, role: 'model' }])
  }
  expect(await box.install([await stick()], 'fresh')).toMatchObject({ installed: [], kept: both, missing: [] })
})

test('a bundle that is made again keeps its parts, its number and its signature', async () => {
  const first = await box.bundle(both, 'stick')
  const before = readFileSync(join(first.folders[0] ?? '', 'manifest.json.minisig'))
  const again = await box.bundle(both, 'stick', { nowMs: Date.now() })
  expect(again).toMatchObject({ writtenBytes: 0, keptBytes: first.writtenBytes, manifestSha256: first.manifestSha256 })
  expect(readFileSync(join(first.folders[0] ?? '', 'manifest.json.minisig'))).toEqual(before)
  const more = await box.bundle(['org/one'], 'stick', { nowMs: Date.now() })
  expect(more).toMatchObject({ writtenBytes: 0 })
  expect(more.manifest.serial).toBeGreaterThan(first.manifest.serial)
})

test('making a bundle that was interrupted writes what is missing, and mends what is damaged', async () => {
  const root = await stick()
  const parts = filesIn(root).filter((path) => path.startsWith('blobs/'))
  const [gone = '', damaged = '', cut = ''] = parts
  rmSync(join(root, gone))
  flipByte(join(root, damaged), 5)
  writeFileSync(join(root, cut), 'x')
  writeFileSync(join(root, `${gone}.tmp`), 'left by a killed run')
  const sizes = (await readTrusted(root, box.trust)).manifest.blobs[0]?.parts.slice(0, 3) ?? []
  const again = await box.bundle(both, 'stick')
  expect(again.writtenBytes).toBe(sizes.reduce((sum, { bytes }) => sum + bytes, 0))
  expect(await check(root)).toMatchObject({ missing: [], bad: [] })
  expect(filesIn(root)).not.toContain(`${gone}.tmp`)
})

test('the manifest is written last: what is cut off before is no bundle', async () => {
  const stop = new AbortController()
  const making = box.bundle(both, 'stick', { signal: stop.signal, onBytes: () => stop.abort(new Error('stopped')) })
  expect(making).rejects.toThrow('stopped')
  await making.catch(() => undefined)
  const root = join(box.folder, 'stick/inferd-bundle')
  expect(readTrusted(root, box.trust)).rejects.toThrow('there is no manifest.json: name the folder of a bundle')
})

test('a damaged file is named, whichever it is', async () => {
  const root = await stick()
  const { manifest } = await readTrusted(root, box.trust)
  for (const { path, bytes } of listedFiles(manifest)) {
    for (const offset of [0, Math.floor(bytes / 2), bytes - 1]) {
      flipByte(join(root, path), offset, 1 << (offset % 8))
      expect((await check(root)).bad).toEqual([{ path, reason: 'is damaged: its content has another sum' }])
      flipByte(join(root, path), offset, 1 << (offset % 8))
    }
  }
})

test('missing, cut, longer and replaced files are named', async () => {
  const root = await stick()
  const [gone = '', cut = '', link = '', fifo = '', folder = ''] = filesIn(root).filter((path) =>
    path.startsWith('blobs/'),
  )
  rmSync(join(root, gone))
  writeFileSync(join(root, cut), 'x')
  renameSync(join(root, link), join(box.folder, 'elsewhere'))
  symlinkSync(join(box.folder, 'elsewhere'), join(root, link))
  rmSync(join(root, fifo))
  Bun.spawnSync(['mkfifo', join(root, fifo)])
  rmSync(join(root, folder))
  mkdirSync(join(root, folder))
  const { missing, bad } = await check(root)
  expect(missing).toEqual([gone])
  const reasons = new Map(bad.map(({ path, reason }) => [path, reason]))
  expect(reasons.get(cut)).toBe('has 1 bytes, not 100000')
  for (const path of [link, fifo, folder])
    expect(reasons.get(path)).toBe('is a link, a device or a folder instead of a file')
})

test('a folder of the bundle that is a link is not followed', async () => {
  const root = await stick()
  renameSync(join(root, 'blobs'), join(box.folder, 'elsewhere'))
  symlinkSync(join(box.folder, 'elsewhere'), join(root, 'blobs'))
  const { bad } = await check(root)
  expect(bad.map(({ reason }) => reason)).toContain('lies below a link or a file instead of a folder')
  expect(box.install([root], 'fresh')).rejects.toThrow('lies below a link')
})

test('a damaged part ends the install with its name; nothing of it is in place, and what was right is kept', async () => {
  const root = await stick()
  const { manifest } = await readTrusted(root, box.trust)
  const second = manifest.blobs.find(({ sha256 }) => manifest.models[1]?.files[0]?.sha256 === sha256)
  const path = `blobs/${second?.sha256.slice(0, 2)}/${second?.sha256}.002`
  flipByte(join(root, path), 7)
  const problem = await box.install([root], 'fresh').catch((error: Error) => error)
  expect(problem).toMatchObject({ message: expect.stringContaining(path) })
  const models = join(box.folder, 'fresh/models/org')
  expect(readdirSync(join(models, 'two'))).toEqual(['org-two.gguf.part'])
  expect(readdirSync(join(box.folder, 'fresh/models.d'))).toEqual(['org%2Fone.toml'])
  flipByte(join(root, path), 7)
  expect(await box.install([root], 'fresh')).toMatchObject({ installed: ['org/two'], kept: ['org/one'] })
})

test('an install that was cut off anywhere goes on, and nothing half appears', async () => {
  const root = (await box.bundle(['org/one'], 'stick')).folders[0] ?? ''
  let failAfter = 0
  for (;;) {
    const name = `box-${failAfter}`
    let effects = 0
    const cuttable =
      <Input extends unknown[], Result>(act: (...input: Input) => Promise<Result>) =>
      async (...input: Input) => {
        if (effects++ === failAfter) throw new Error('power cut')
        return await act(...input)
      }
    const disk = {
      ...realDisk,
      rename: cuttable(realDisk.rename),
      flushFolder: cuttable(realDisk.flushFolder),
      open: cuttable(realDisk.open),
    }
    const cut = await box.install([root], name, { disk }).catch((error: Error) => error.message)
    const { installed, kept, catalog } = await box.install([root], name)
    expect([...installed, ...kept]).toEqual(['org/one'])
    expect(catalog.resolve('org/one')?.entry.status).toEqual({ kind: 'ready' })
    expect(filesIn(join(box.folder, name)).filter((path) => /\.(tmp|part|json)$/.test(path))).toEqual([
      'models/org/one/lock.json',
    ])
    if (cut !== 'power cut') break
    failAfter++
  }
  expect(failAfter).toBeGreaterThan(10)
}, 60_000)

test('several disks: each is checked alone, together they are whole, and they are installed one after the other', async () => {
  const { folders, manifest } = await box.bundle(both, 'disks', { volumeBytes: minimumVolumeBytes / 2 + 400_000 })
  expect(folders.length).toBe(2)
  expect(await check(...folders)).toMatchObject({ missing: [], bad: [] })
  const [first = '', ...others] = folders
  const { missing, bad } = await check(first)
  expect(bad).toEqual([])
  expect(missing.length).toBe(
    listedFiles(manifest).length - filesIn(first).filter((path) => path.startsWith('blobs/')).length,
  )
  const begun = await box.install([first], 'fresh')
  expect(missing).toEqual(expect.arrayContaining([...begun.missing]))
  expect(begun.missing).not.toEqual([])
  expect(begun.installed).toEqual(['org/one'])
  expect(await box.install(others, 'fresh')).toMatchObject({ installed: ['org/two'], kept: ['org/one'], missing: [] })
})

test('what the box has is left out, and needed again', async () => {
  const first = await box.bundle(['org/one'], 'first')
  await box.addModel('org/twin', 'org/one')
  const base = first.manifest.blobs
  const second = await box.bundle([...both, 'org/twin'], 'second', { base })
  expect(second.manifest.base).toEqual(base.map(({ sha256, bytes }) => ({ sha256, bytes })))
  expect(second.manifest.blobs.length).toBe(1)
  expect(box.install(second.folders, 'fresh')).rejects.toThrow('install the bundle that it builds on first')
  await box.install(first.folders, 'fresh')
  const { dataDir, ...result } = await box.install(second.folders, 'fresh')
  expect(result).toMatchObject({ installed: ['org/two', 'org/twin'], kept: ['org/one'], missing: [] })
  const [one, twin] = ['one', 'twin'].map((name) => statSync(join(dataDir, `models/org/${name}/org-${name}.gguf`)).ino)
  expect(one).toBe(twin as number)
})

test('a model changes only when all its files are here', async () => {
  const version = async (text: string, to: string) => {
    await box.addModel('org/one', text)
    await addFile('org/one', 'LICENSE', text)
    return (await box.bundle(['org/one'], to)).folders
  }
  await box.install(await version('first', 'first'), 'fresh')
  const folders = await version('other', 'next')
  const [root = ''] = folders
  const license = filesIn(root).find((path) => readFileSync(join(root, path), 'latin1') === 'other') ?? ''
  renameSync(join(root, license), join(box.folder, 'elsewhere'))
  const folder = join(box.folder, 'fresh/models/org/one')
  const ends = () => ['org-one.gguf', 'LICENSE'].map((name) => readFileSync(join(folder, name), 'latin1').slice(-5))
  expect(await box.install(folders, 'fresh')).toMatchObject({ installed: [], missing: [license] })
  expect(ends()).toEqual(['first', 'first'])
  renameSync(join(box.folder, 'elsewhere'), join(root, license))
  expect(await box.install(folders, 'fresh')).toMatchObject({ installed: ['org/one'], missing: [] })
  expect(ends()).toEqual(['other', 'other'])
})

test('a content whose only place changes in the same install is linked from there before', async () => {
  const first = await box.bundle(['org/one'], 'first')
  await box.install(first.folders, 'fresh')
  await box.addModel('org/zwei', 'org/one')
  await box.addModel('org/one', 'changed')
  const next = await box.bundle(['org/one', 'org/zwei'], 'next', { base: first.manifest.blobs })
  const { installed, dataDir } = await box.install(next.folders, 'fresh')
  expect(installed).toEqual(['org/one', 'org/zwei'])
  const ends = ['one', 'zwei'].map((name) =>
    readFileSync(join(dataDir, `models/org/${name}/org-${name}.gguf`), 'latin1'),
  )
  expect(ends.map((text) => text.slice(-7))).toEqual(['changed', 'org/one'])
})

test('of a content that two models have, a missing part is missing for both', async () => {
  await box.addModel('org/twin', 'org/one')
  const { folders } = await box.bundle(['org/one', 'org/twin'], 'stick')
  const [root = ''] = folders
  const [gone = ''] = filesIn(root).filter((path) => path.startsWith('blobs/'))
  renameSync(join(root, gone), join(box.folder, 'elsewhere'))
  expect(await box.install([root], 'fresh')).toMatchObject({ installed: [], missing: [gone] })
  renameSync(join(box.folder, 'elsewhere'), join(root, gone))
  const { dataDir, ...result } = await box.install([root], 'fresh')
  expect(result).toMatchObject({ installed: ['org/one', 'org/twin'], missing: [] })
  const [one, twin] = ['one', 'twin'].map((name) => statSync(join(dataDir, `models/org/${name}/org-${name}.gguf`)).ino)
  expect(one).toBe(twin as number)
})

test('a file that was found to be damaged is replaced', async () => {
  const { dataDir, catalog } = await box.install([await stick()], 'fresh')
  const path = join(dataDir, 'models/org/one/org-one.gguf')
  const touch = (from: string, to: string) => Bun.spawnSync(['touch', '-r', from, to])
  touch(path, join(box.folder, 'time'))
  flipByte(path, 300_000)
  touch(join(box.folder, 'time'), path)
  const model = { modelId: 'org/one', license: undefined, files: [] }
  expect(await verifyModel(model, { dataDir })).toMatchObject({ outcome: 'damaged' })
  expect(catalog.resolve('org/one')?.entry.status.kind).toBe('broken')
  expect(await box.install([await stick()], 'fresh')).toMatchObject({ installed: ['org/one'], kept: ['org/two'] })
  expect(catalog.resolve('org/one')?.entry.status.kind).toBe('ready')
})

test('a model that is not what its lock says cannot be bundled', async () => {
  const { dataDir } = await box.install([await stick()], 'fresh')
  cpSync(join(dataDir, 'models/org/one/lock.json'), join(box.dataDir, 'models/org/one/lock.json'))
  flipByte(join(box.dataDir, 'models/org/one/org-one.gguf'), 300_000)
  expect(box.bundle(['org/one'], 'other')).rejects.toThrow('is not what its lock says')
})

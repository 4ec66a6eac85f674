import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EmbeddedFiles } from './embedded-files.ts'
import { unpackRuntime } from './unpack-runtime.ts'
import { isAsPacked } from './unpacked-file.ts'

let folder: string
let parent: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-unpack-'))
  parent = join(folder, 'data', 'runtime')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const older = '0123456789abcdef'
const newer = 'fedcba9876543210'

/** Returns files as the executable carries them, from contents by path. */
function embed(contents: Record<string, string>, contentHash = newer): EmbeddedFiles {
  const files = Object.entries(contents).map(([path, content]) => {
    const source = join(folder, `${Bun.hash(content)}.zst`)
    writeFileSync(source, Bun.zstdCompressSync(Buffer.from(content)))
    const sha256 = new Bun.CryptoHasher('sha256').update(content).digest('hex')
    return { path, source, sizeBytes: content.length, sha256 }
  })
  return { contentHash, files }
}

const contents = { 'lib/cpu/a.so': 'library', 'lib/gpu/a.so': 'library', 'models/tiny.gguf': 'weights'.repeat(1000) }

test('writes every file below a folder that only its owner can enter', async () => {
  const unpacked = await unpackRuntime(embed(contents), parent)
  expect(unpacked).toBe(join(parent, newer))
  for (const [path, content] of Object.entries(contents)) {
    expect(await Bun.file(join(unpacked, path)).text()).toBe(content)
  }
  expect(statSync(unpacked).mode & 0o777).toBe(0o700)
  expect(statSync(parent).mode & 0o777).toBe(0o700)
})

test('files of equal content take the space of one', async () => {
  const unpacked = await unpackRuntime(embed(contents), parent)
  expect(statSync(join(unpacked, 'lib/cpu/a.so')).ino).toBe(statSync(join(unpacked, 'lib/gpu/a.so')).ino)
})

test('does not write again what is complete', async () => {
  const unpacked = await unpackRuntime(embed(contents), parent)
  const before = statSync(unpacked).ino
  await unpackRuntime(embed(contents), parent)
  expect(statSync(unpacked).ino).toBe(before)
})

test('replaces a folder in which a file is missing', async () => {
  const unpacked = await unpackRuntime(embed(contents), parent)
  rmSync(join(unpacked, 'lib/cpu/a.so'))
  await unpackRuntime(embed(contents), parent)
  expect(await Bun.file(join(unpacked, 'lib/cpu/a.so')).text()).toBe('library')
})

test('replaces a folder in which a file was cut short', async () => {
  const unpacked = await unpackRuntime(embed(contents), parent)
  writeFileSync(join(unpacked, 'models/tiny.gguf'), '')
  await unpackRuntime(embed(contents), parent)
  expect(statSync(join(unpacked, 'models/tiny.gguf')).size).toBe(7000)
})

test('replaces a folder in which a file has other bytes and the size and times that it had', async () => {
  const unpacked = await unpackRuntime(embed(contents), parent)
  for (const path of Object.keys(contents)) {
    const file = join(unpacked, path)
    const { size, atime, mtime } = statSync(file)
    writeFileSync(file, 'x'.repeat(size))
    utimesSync(file, atime, mtime)
    await unpackRuntime(embed(contents), parent)
    expect(await Bun.file(file).text()).toBe(contents[path as keyof typeof contents])
  }
})

test('replaces a file of another size, a folder in its place, and one that leads elsewhere', async () => {
  const unpacked = await unpackRuntime(embed(contents), parent)
  const file = join(unpacked, 'lib/cpu/a.so')
  const elsewhere = join(folder, 'elsewhere')
  writeFileSync(elsewhere, 'another')
  for (const replace of [
    () => writeFileSync(file, 'longer than it was'),
    () => mkdirSync(file),
    () => symlinkSync(elsewhere, file),
  ]) {
    rmSync(file)
    replace()
    await unpackRuntime(embed(contents), parent)
    expect(await Bun.file(file).text()).toBe('library')
  }
})

test('sums are made once, and again after a file was touched', async () => {
  const path = join(folder, 'file')
  writeFileSync(path, 'library')
  const sha256 = new Bun.CryptoHasher('sha256').update('library').digest('hex')
  const isRight = () => isAsPacked(path, { sizeBytes: 7, sha256 })
  expect(await isRight()).toBe(true)
  const { mtime, atime } = statSync(path)
  writeFileSync(path, 'Library')
  utimesSync(path, atime, mtime)
  expect(await isRight()).toBe(false)
  writeFileSync(path, 'library')
  expect(await isRight()).toBe(true)
})

test('many at once end with one whole folder and no leftovers', async () => {
  const embedded = embed(contents)
  await Promise.all(Array.from({ length: 8 }, () => unpackRuntime(embedded, parent)))
  expect(readdirSync(parent)).toEqual([newer])
  expect(await Bun.file(join(parent, newer, 'lib/gpu/a.so')).text()).toBe('library')
})

test('removes other versions and what dead processes left, but nothing that is being unpacked, nor what is not its own', async () => {
  await unpackRuntime(embed(contents, older), parent)
  const others = ['.unpacking-abcDE1', '.unpacking-abcDE2', 'mine', '.unpacking-notes', `${older}-copy`]
  for (const name of others) mkdirSync(join(parent, name))
  utimesSync(join(parent, '.unpacking-abcDE2'), 0, 0)
  await unpackRuntime(embed(contents, newer), parent)
  expect(readdirSync(parent).sort()).toEqual(
    ['.unpacking-abcDE1', '.unpacking-notes', `${older}-copy`, newer, 'mine'].sort(),
  )
})

test('a damaged executable is an error and leaves nothing behind', async () => {
  const embedded = embed(contents)
  const [first] = embedded.files
  writeFileSync(first?.source ?? '', Bun.zstdCompressSync(Buffer.from('short')))
  await expect(unpackRuntime(embedded, parent)).rejects.toThrow(/5 bytes instead of 7/)
  writeFileSync(first?.source ?? '', Bun.zstdCompressSync(Buffer.from('Library')))
  await expect(unpackRuntime(embedded, parent)).rejects.toThrow('has other bytes than were packed')
  expect(readdirSync(parent)).toEqual([])
})

test('says how much room is needed when the disk is full', async () => {
  const { contentHash, files } = embed(contents)
  const huge = files.map((file) => ({ ...file, sizeBytes: 1e18 }))
  await expect(unpackRuntime({ contentHash, files: huge }, parent)).rejects.toThrow(
    / MB are needed and \d+ MB are free/,
  )
  expect(existsSync(join(parent, contentHash))).toBe(false)
})

test('names the folder that cannot be written', async () => {
  writeFileSync(join(folder, 'data'), 'a file where the data folder belongs')
  await expect(unpackRuntime(embed(contents), parent)).rejects.toThrow(`cannot be unpacked to ${parent}`)
})

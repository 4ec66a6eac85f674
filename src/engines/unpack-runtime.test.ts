import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EmbeddedFiles } from './embedded-files.ts'
import { unpackRuntime } from './unpack-runtime.ts'

let folder: string
let parent: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-unpack-'))
  parent = join(folder, 'data', 'runtime')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const older = '0123456789abcdef'
const newer = 'fedcba9876543210'

/** Files as the executable carries them, path -> content. */
function embed(contents: Record<string, string>, contentHash = newer): EmbeddedFiles {
  const files = Object.entries(contents).map(([path, content]) => {
    const source = join(folder, `${Bun.hash(content)}.zst`)
    writeFileSync(source, Bun.zstdCompressSync(Buffer.from(content)))
    return { path, source, sizeBytes: content.length }
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

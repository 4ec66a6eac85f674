import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ZipEntry, zipFile } from '../../testing/zip-file.ts'
import { ZipError, ZipReader } from './zip-reader.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-zip-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'test.zip')
const content = Buffer.alloc(3_000_000, 'library ')

async function readAll(bytes: Uint8Array): Promise<Record<string, Buffer>> {
  writeFileSync(path, bytes)
  await using zip = await ZipReader.open(path)
  const found: Record<string, Buffer> = {}
  for (const member of zip.members) found[member.name] = Buffer.concat(await Array.fromAsync(zip.read(member)))
  return found
}
const readOne = (entry: Partial<ZipEntry>) => readAll(zipFile([{ name: 'a', content, ...entry }]))

test.each<readonly [string, Partial<ZipEntry>]>([
  ['deflated', {}],
  ['stored', { isStored: true }],
  ['empty', { content: Buffer.alloc(0) }],
  ['with the sizes of zip64', { isZip64: true }],
])('a member that is %s comes whole', async (_, entry) => {
  const found = await readOne(entry)
  expect(found.a?.equals(Buffer.from(entry.content ?? content))).toBe(true)
})

test('a member of many pieces leaves no listeners behind', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)))
  const pieces = Array.from({ length: 320 }, (_, index) => random.map((byte) => byte ^ index))
  const found = await readOne({ content: Buffer.concat(pieces) })
  await new Promise(setImmediate)
  process.off('warning', note)
  expect(found.a).toHaveLength(320 * 65_536)
  expect(warnings).toEqual([])
})

test.each<readonly [string, Partial<ZipEntry>, string]>([
  ['longer than it says', { saidBytes: 10 }, 'longer than it says'],
  ['shorter than it says', { saidBytes: 4_000_000 }, 'not whole'],
  ['of another sum', { saidCrc32: 7 }, 'not whole'],
  ['encrypted', { isEncrypted: true }, 'encrypted'],
])('a member that is %s is refused', async (_, entry, words) => {
  const reading = readOne(entry)
  await expect(reading).rejects.toBeInstanceOf(ZipError)
  await expect(reading).rejects.toThrow(words)
})

test('bytes that are wrong or cut short at any place are refused', async () => {
  const bytes = zipFile([{ name: 'a', content: Buffer.from('some text of a library') }])
  for (let length = 0; length < bytes.length; length++)
    await expect(readAll(bytes.subarray(0, length))).rejects.toBeInstanceOf(ZipError)
  const wrong = Buffer.from(bytes)
  wrong.fill(0xff, 31, 40)
  await expect(readAll(wrong)).rejects.toBeInstanceOf(ZipError)
})

test('an end of zip64 that is said to be beyond the file is refused', async () => {
  const zip = zipFile([{ name: 'a', content: Buffer.from('text'), isZip64: true }])
  zip.writeBigUInt64LE(0xffffffffffffffffn, zip.length - 22 - 20 + 8)
  writeFileSync(path, zip)
  await expect(ZipReader.open(path)).rejects.toBeInstanceOf(ZipError)
})

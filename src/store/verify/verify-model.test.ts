/**
 * Files that change after they were locked: `verify` finds each change, a load finds them by samples and by the file's
 * state.
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Catalog } from '../../catalog/catalog.ts'
import { readDamage } from '../../catalog/damage-note.ts'
import { chunkSumOf } from '../../testing/chunk-sum-of.ts'
import { tinyGguf } from '../../testing/gguf/tiny-gguf.ts'
import { chunkBytes } from '../chunk-sum.ts'
import { importModel } from '../import/import-model.ts'
import { readLock, writeLock } from '../lock.ts'
import { beginRun, endRun } from './clean-stop.ts'
import { LoadChecks } from './load-checks.ts'
import { noteOutcome, verifyModel } from './verify-model.ts'

let dataDir = ''
let folder = ''
let path = ''

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'inferd-verify-'))
  folder = join(dataDir, 'models/me/tiny')
  path = join(folder, 'tiny.gguf')
  const source = join(dataDir, 'tiny.gguf')
  writeFileSync(source, tinyGguf())
  await importModel({ path: source, id: 'me/tiny', dataDir, isInPlace: false, known: undefined, aliases: [] })
  rmSync(source)
})

afterEach(() => rmSync(dataDir, { recursive: true }))

function catalog() {
  return new Catalog({ shipped: [], shippedAtMs: 0, dataDir, shippedFile: () => undefined })
}

function verify() {
  return verifyModel({ modelId: 'me/tiny', license: undefined, files: catalog().filesOf('me/tiny') }, { dataDir })
}

/** Changes a byte like a failing disk: the file's time and size stay the same. */
function flip(offset: number): void {
  const { atime, mtime } = statSync(path)
  const bytes = readFileSync(path)
  bytes[offset] = (bytes[offset] ?? 0) ^ 1
  writeFileSync(path, bytes)
  utimesSync(path, atime, mtime)
}

test('a model that is as its lock says is whole', async () => {
  expect(await verify()).toEqual({ modelId: 'me/tiny', outcome: 'whole', problems: {}, bytes: statSync(path).size })
  expect(catalog().resolve('me/tiny')?.entry.status.kind).toBe('ready')
})

test('a flipped bit is found, the model is broken, and whole again when the bit is', async () => {
  flip(300_000)
  const problems = { 'tiny.gguf': 'is damaged: part 1 of 1 differs from its sum' }
  expect(await verify()).toMatchObject({ outcome: 'damaged', problems })
  const reason = 'tiny.gguf is damaged: part 1 of 1 differs from its sum'
  expect(catalog().resolve('me/tiny')?.entry.status).toEqual({ kind: 'broken', reason })
  flip(300_000)
  expect(await verify()).toMatchObject({ outcome: 'whole' })
  expect(catalog().resolve('me/tiny')?.entry.status.kind).toBe('ready')
  expect(readdirSync(folder).sort()).toEqual(['lock.json', 'tiny.gguf'])
})

test('the part that differs is named by its number', async () => {
  const lock = readLock(folder)
  const large = Buffer.alloc(2 * chunkBytes + 5, 7)
  writeFileSync(path, large)
  const hash = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  const chunkSums = [0, 1, 2].map((index) => chunkSumOf(large.subarray(index * chunkBytes, (index + 1) * chunkBytes)))
  const files = (lock?.files ?? []).map((file) => ({ ...file, bytes: large.length, sha256: hash(large), chunkSums }))
  await writeLock(folder, { format: 1, modelId: 'me/tiny', files })
  expect(await verify()).toMatchObject({ outcome: 'whole' })
  flip(2 * chunkBytes + 2)
  flip(chunkBytes)
  expect((await verify()).problems['tiny.gguf']).toBe('is damaged: part 2 of 3 and 1 more differs from its sum')
})

test('a missing and a cut file are named', async () => {
  truncateSync(path, 1000)
  expect((await verify()).problems['tiny.gguf']).toContain('is damaged')
  rmSync(path)
  expect((await verify()).problems).toEqual({ 'tiny.gguf': 'is missing' })
})

test('a model without a lock gets one, unless its manifest knows better', async () => {
  rmSync(join(folder, 'lock.json'))
  const files = catalog()
    .filesOf('me/tiny')
    .map((file) => ({ ...file, sha256: 'a'.repeat(64) }))
  const wrong = await verifyModel({ modelId: 'me/tiny', license: undefined, files }, { dataDir })
  expect(wrong).toMatchObject({
    outcome: 'damaged',
    problems: { 'tiny.gguf': expect.stringContaining('not the one in the manifest') },
  })
  expect(existsSync(join(folder, 'lock.json'))).toBe(false)
  expect(await verify()).toMatchObject({ outcome: 'locked' })
  expect(await verify()).toMatchObject({ outcome: 'whole' })
})

test('after an unclean stop files are read as a whole once, not at each load', async () => {
  const checks = new LoadChecks({ dataDir, suspectAfterMs: 0 })
  const before = readLock(folder)
  expect(await checks.check('me/tiny')).toBeUndefined()
  const read = readLock(folder)
  expect(read).not.toEqual(before)
  expect(await checks.check('me/tiny')).toBeUndefined()
  expect(readLock(folder)).toEqual(read)
  checks.close()
})

test('a check that is given up reads no further, and the next load reads the files as a whole again', async () => {
  const checks = new LoadChecks({ dataDir, suspectAfterMs: 0 })
  const before = readLock(folder)
  await expect(checks.check('me/tiny', { signal: AbortSignal.abort(new Error('unloaded')) })).rejects.toThrow(
    'unloaded',
  )
  expect(readLock(folder)).toEqual(before)
  expect(await checks.check('me/tiny')).toBeUndefined()
  expect(readLock(folder)).not.toEqual(before)
  checks.close()
})

test('a damaged lock is said, and replaced by one of what is there', async () => {
  writeFileSync(join(folder, 'lock.json'), '{"format":1')
  expect(await verify()).toMatchObject({ outcome: 'locked', problems: { 'lock.json': 'is damaged: it is not JSON' } })
  expect(await verify()).toMatchObject({ outcome: 'whole', problems: {} })
})

test('sums of parts and a size that do not fit to the sum of the whole are mended', async () => {
  const sound = readLock(folder)
  const files = (sound?.files ?? []).map((file) => ({ ...file, chunkSums: ['0'.repeat(16)] }))
  await writeLock(folder, { format: 1, modelId: 'me/tiny', files })
  expect(await verify()).toMatchObject({ outcome: 'whole' })
  expect(readLock(folder)?.files[0]?.chunkSums).toEqual(sound?.files[0]?.chunkSums ?? [])
})

test('what was compared is not noted for a model that has been replaced meanwhile', async () => {
  const before = readLock(folder)
  if (before === undefined) throw new Error('there is a lock')
  const replaced = { ...before, license: 'MIT' }
  await writeLock(folder, replaced)
  await noteOutcome(folder, {
    before,
    files: [],
    damaged: [{ name: 'tiny.gguf', chunks: [0], chunkCount: 1, stat: { mtimeMs: 1, inode: 1 } }],
  })
  expect(readLock(folder)).toEqual(replaced)
  expect(readdirSync(folder).sort()).toEqual(['lock.json', 'tiny.gguf'])
})

test('a file that cannot be read is named, and others are compared all the same', async () => {
  // Reading /proc/self/mem at offset 0 fails as a bad disk does.
  const lock = readLock(folder)
  const [file] = lock?.files ?? []
  if (file === undefined) throw new Error('there is a file')
  symlinkSync('/proc/self/mem', join(folder, 'mem'))
  await writeLock(folder, { format: 1, modelId: 'me/tiny', files: [{ ...file, name: 'mem' }, file] })
  expect(await verify()).toMatchObject({ outcome: 'damaged', problems: { mem: 'cannot be read (EIO)' } })
})

test('a model that is used where it lies has nothing to be compared with', async () => {
  const elsewhere = join(dataDir, 'elsewhere.gguf')
  writeFileSync(elsewhere, tinyGguf())
  await importModel({ path: elsewhere, id: 'me/own', dataDir, isInPlace: true, known: undefined, aliases: [] })
  const files = catalog().filesOf('me/own')
  expect(await verifyModel({ modelId: 'me/own', license: undefined, files }, { dataDir })).toMatchObject({
    outcome: 'elsewhere',
  })
})

async function check(suspectAfterMs = Number.POSITIVE_INFINITY): Promise<string | undefined> {
  const checks = new LoadChecks({ dataDir, suspectAfterMs })
  try {
    return await checks.check('me/tiny')
  } finally {
    checks.close()
  }
}

test('a load of a damaged file fails, and the model is broken from then on', async () => {
  await check()
  flip(200_000)
  expect(await check()).toContain(`${path} is damaged: part 1 of 1 differs from its sum; 'inferd verify me/tiny'`)
  expect(catalog().resolve('me/tiny')?.entry.status.kind).toBe('broken')
})

test('a file whose state changed is compared as a whole, once', async () => {
  utimesSync(path, new Date(1000), new Date(1000))
  await check()
  expect(readLock(folder)?.files[0]?.stat.mtimeMs).toBe(1_000)
  truncateSync(path, 1000)
  expect(await check()).toContain('is damaged')
})

test('a file that is replaced while it is compared is not noted as damaged', async () => {
  utimesSync(path, new Date(1000), new Date(1000))
  const checks = new LoadChecks({ dataDir, suspectAfterMs: Number.POSITIVE_INFINITY })
  const checking = checks.check('me/tiny')
  // A pull puts another version there, and writes its lock a moment later.
  const other = readFileSync(path)
  other[200_000] = 1 ^ (other[200_000] ?? 0)
  writeFileSync(`${path}.new`, other)
  renameSync(`${path}.new`, path)
  expect(await checking).toContain('is damaged')
  expect(readDamage(folder)).toEqual([])
  checks.close()
})

test('chunks with forged sums do not make a changed file whole', async () => {
  const lock = readLock(folder)
  flip(200_000)
  const files = (lock?.files ?? []).map((file) => ({ ...file, chunkSums: [chunkSumOf(readFileSync(path))] }))
  await writeLock(folder, { format: 1, modelId: 'me/tiny', files })
  utimesSync(path, new Date(1000), new Date(1000))
  expect(await check()).toContain('is damaged')
})

test('models without a lock, and unknown ones, are not checked', async () => {
  rmSync(join(folder, 'lock.json'))
  flip(200_000)
  await check()
  const checks = new LoadChecks({ dataDir, suspectAfterMs: 0 })
  await checks.check('me/none')
  checks.close()
})

test('after an unclean stop everything since the last clean one is suspect', () => {
  expect(beginRun(dataDir)).toBe(Number.POSITIVE_INFINITY)
  expect(beginRun(dataDir)).toBe(0)
  endRun(dataDir, 5000)
  expect(beginRun(dataDir)).toBe(Number.POSITIVE_INFINITY)
  expect(beginRun(dataDir)).toBe(5000)
  mkdirSync(join(dataDir, 'gone'))
  endRun(join(dataDir, 'gone'), 1)
})

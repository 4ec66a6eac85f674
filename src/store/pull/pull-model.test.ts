import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FakeHub, sha256Of, startFakeHub } from '../../testing/fake-hub/fake-hub.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import { Downloader } from '../download/downloader.ts'
import { readLock } from '../lock.ts'
import type { ModelPlan, PlannedFile } from '../plan.ts'
import { WebClient } from '../web/web-client.ts'
import { missingFiles, pullModel } from './pull-model.ts'

let hub: FakeHub
let dataDir = ''
let downloader: Downloader

beforeEach(async () => {
  hub = await startFakeHub()
  dataDir = mkdtempSync(join(tmpdir(), 'inferd-pull-model-'))
  const client = new WebClient({ isInsecureAllowed: false, trustedOrigins: [], environment: {} })
  downloader = new Downloader({ client, pauseMs: () => 0 })
})
afterEach(async () => {
  downloader[Symbol.dispose]()
  await hub[Symbol.asyncDispose]()
  rmSync(dataDir, { recursive: true })
})

function planned(name: string, content: Uint8Array, parts: Partial<PlannedFile> = {}): PlannedFile {
  hub.put('org/repo', name, content)
  const address = `${hub.origin}/org/repo/resolve/main/${name}`
  const sums = { bytes: content.length, sha256: sha256Of(content) }
  return { role: 'model', name, address, source: `hf:org/repo/${name}`, ...sums, ...parts }
}

const planOf = (...files: PlannedFile[]): ModelPlan => ({
  manifest: testManifest({ id: 'me/one' }),
  source: 'x',
  files,
})
const pull = (plan: ModelPlan) =>
  pullModel(plan, { dataDir, downloader, signal: AbortSignal.timeout(20_000), onProgress: () => undefined })
const folder = () => join(dataDir, 'models/me/one')
const bytesOf = (text: string) => new TextEncoder().encode(text)

/** Returns a tar archive, made by the system's tar, of a folder with these files. */
async function tarOf(files: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const blocks = Object.entries(files).map(([name, text]) => {
    const header = Buffer.alloc(512)
    header.write(name)
    header.write('0000644\0', 100)
    header.write('0000000\0', 108)
    header.write('0000000\0', 116)
    header.write(`${text.length.toString(8).padStart(11, '0')}\0`, 124)
    header.write('00000000000\0', 136)
    header.write('        0ustar\x0000', 148)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    const body = Buffer.alloc(Math.ceil(text.length / 512) * 512)
    body.write(text)
    return Buffer.concat([header, body])
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

test('an archive becomes a folder, whose files the lock names, and is not kept', async () => {
  const tar = await tarOf({ 'voices-v1/tokens.txt': 'a b', 'voices-v1/data/!v/Mr serious': 'c' })
  const plan = planOf(planned('voices.tar', tar, { name: 'voices', role: 'voices', unpack: true }))
  const archive = plan.files.map((file) => ({ ...file, address: file.address.replace(/voices$/, 'voices.tar') }))
  const { files } = await pull({ ...plan, files: archive })
  expect(files.map(({ role, name, sha256 }) => ({ role, name, sha256 }))).toEqual([
    { role: 'voices', name: 'voices/tokens.txt', sha256: sha256Of(bytesOf('a b')) },
    { role: 'voices', name: 'voices/data/!v/Mr serious', sha256: sha256Of(bytesOf('c')) },
  ])
  expect(readdirSync(folder()).sort()).toEqual(['lock.json', 'voices'])
  expect(readLock(folder())?.files).toHaveLength(2)
  expect(missingFiles({ ...plan, files: archive }, dataDir)).toEqual([])
  const moved = archive.map((file) => ({ ...file, source: 'hf:other/repo/voices.tar' }))
  expect(missingFiles({ ...plan, files: moved }, dataDir)).toHaveLength(1)
  rmSync(join(folder(), 'voices/tokens.txt'))
  expect(missingFiles({ ...plan, files: archive }, dataDir)).toHaveLength(1)
})

test('a file that fails keeps the others from being lost', async () => {
  const good = planned('a.bin', bytesOf('good'))
  const bad = planned('b.bin', bytesOf('bad'), { sha256: 'a'.repeat(64) })
  await expect(pull(planOf(good, bad))).rejects.toThrow('b.bin')
  expect(existsSync(join(folder(), 'a.bin'))).toBe(true)
  expect(readLock(folder())).toBeUndefined()
  const { files } = await pull(planOf(good))
  expect(files.map(({ name }) => name)).toEqual(['a.bin'])
})

test('a damaged lock is as good as none: files are compared with their sums', async () => {
  const plan = planOf(planned('a.bin', bytesOf('content')))
  await pull(plan)
  writeFileSync(join(folder(), 'lock.json'), '{')
  expect(missingFiles(plan, dataDir)).toHaveLength(1)
  const before = hub.requests.filter(({ at }) => at === 'store').length
  await pull(plan)
  expect(hub.requests.filter(({ at }) => at === 'store')).toHaveLength(before)
  expect(missingFiles(plan, dataDir)).toEqual([])
})

test('a file that another model has is linked, also where it was linked before', async () => {
  const plan = planOf(planned('a.bin', bytesOf('content')))
  await pull(plan)
  const copy = { ...plan, manifest: testManifest({ id: 'me/copy' }) }
  const copied = join(dataDir, 'models/me/copy')
  for (let time = 0; time < 2; time++) {
    await pull(copy)
    expect(readdirSync(copied).sort()).toEqual(['a.bin', 'lock.json'])
    rmSync(join(copied, 'lock.json')) // as if the pull had been killed before it wrote the lock
  }
  expect(statSync(join(copied, 'a.bin')).ino).toBe(statSync(join(folder(), 'a.bin')).ino)
})

test('a file without a sum is here as long as its source and revision stay the same', async () => {
  const unsummed = planned('a.bin', bytesOf('content'), {
    sha256: undefined,
    commit: hub.repositories.get('org/repo')?.commit,
  })
  const { files } = await pull(planOf(unsummed))
  const same = { ...unsummed, commit: files[0]?.commit }
  expect(missingFiles(planOf(same), dataDir)).toEqual([])
  for (const change of [{ commit: 'b'.repeat(40) }, { source: 'hf:other/repo/a.bin' }, { bytes: 8 }])
    expect(missingFiles(planOf({ ...same, ...change }), dataDir)).toHaveLength(1)
})

/**
 * Models from folders, archives, other programs' stores and hostile places: which files are installed, and which are
 * left after a refusal.
 */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Catalog } from '../../catalog/catalog.ts'
import { readManifestFile } from '../../catalog/operator-manifests.ts'
import { engineSpawn } from '../../engines/host/spawn-engine.ts'
import { probeModel } from '../../engines/probe-model.ts'
import { runtimePaths } from '../../engines/runtime/runtime-paths.ts'
import { testEngineSettings } from '../../testing/engine-settings.ts'
import { tinyGguf } from '../../testing/gguf/tiny-gguf.ts'
import { makeOnnx } from '../../testing/store/make-onnx.ts'
import { testedProgram } from '../../testing/tested-program.ts'
import { readLock } from '../lock.ts'
import { type ImportOptions, importModel } from './import-model.ts'
import { findInOllama } from './ollama-store.ts'

const starter = join(import.meta.dir, '../../../models/starter')
let folder = ''
let dataDir = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-import-'))
  dataDir = join(folder, 'data')
})

afterEach(() => rmSync(folder, { recursive: true }))

function write(name: string, content: string | Uint8Array | object): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content))
  return path
}

function run(path: string, change: Partial<ImportOptions> = {}) {
  return importModel({ path, id: 'me/model', dataDir, isInPlace: false, known: undefined, aliases: [], ...change })
}

function entry(id = 'me/model') {
  return new Catalog({ shipped: [], shippedAtMs: 0, dataDir, shippedFile: () => undefined }).resolve(id)?.entry
}

async function expectRefusal(importing: Promise<unknown>, reason: string): Promise<void> {
  await expect(importing).rejects.toThrow(reason)
  const left = existsSync(join(dataDir, 'models/me')) ? readdirSync(join(dataDir, 'models/me')) : []
  expect(left).toEqual([])
  expect(entry()).toBeUndefined()
}

/** Returns the starter embedder as a folder in the hub's layout. */
function embedderFolder(): string {
  const path = join(folder, 'embedder')
  mkdirSync(path)
  copyFileSync(join(starter, 'starter-embed.onnx'), join(path, 'model.onnx'))
  copyFileSync(join(starter, 'starter-embed-tokenizer.json'), join(path, 'tokenizer.json'))
  write('embedder/config.json', { max_position_embeddings: 512, hidden_size: 256 })
  return path
}

const probe: ImportOptions['probe'] = (model) =>
  probeModel(
    model,
    {
      spawn: engineSpawn({ command: testedProgram, environment: {} }),
      settings: testEngineSettings,
      runtime: () => runtimePaths(''),
    },
    new AbortController().signal,
  )

test('an ONNX folder is loaded by its engine, then installed with a lock', async () => {
  const { found, placement } = await run(embedderFolder(), { probe })
  expect(placement).toBe('linked')
  expect(found.description).toBe('ONNX, embedding, output "last_hidden_state"')
  expect(entry()).toMatchObject({
    status: { kind: 'ready' },
    manifest: { type: 'embedding', dimensions: 256, contextLength: 512 },
  })
  expect(readLock(join(dataDir, 'models/me/model'))?.files.map(({ role, name }) => `${role} ${name}`)).toEqual([
    'model model.onnx',
    'tokenizer tokenizer.json',
  ])
}, 60_000)

test('what the engine cannot load is refused with its words', async () => {
  const path = embedderFolder()
  write('embedder/model.onnx', makeOnnx({ outputs: { last_hidden_state: [undefined, undefined, 256] } }))
  await expectRefusal(run(path, { probe }), 'Missing opset')
}, 60_000)

test('archives are unpacked, checked as folders are, and nothing of them stays', async () => {
  write('embedder/model.onnx', makeOnnx({ outputs: { last_hidden_state: [undefined, undefined, 256] } }))
  write('embedder/tokenizer.json', '{}')
  write('embedder/config.json', { max_position_embeddings: 512 })
  for (const [name, flags] of [
    ['a.tar', '-cf'],
    ['b.tar.gz', '-czf'],
    ['c.tar.bz2', '-cjf'],
  ] as const) {
    expect(Bun.spawnSync(['tar', flags, name, 'embedder'], { cwd: folder }).exitCode).toBe(0)
    await run(join(folder, name), { id: `me/${name[0]}` })
    expect(entry(`me/${name[0]}`)?.status.kind).toBe('ready')
  }
  expect(readdirSync(join(dataDir, 'models/me')).sort()).toEqual(['a', 'b', 'c'])
  // Equal files of several models are stored once.
  const inodes = ['a', 'b', 'c'].map((name) => statSync(join(dataDir, 'models/me', name, 'model.onnx')).ino)
  expect(new Set(inodes).size).toBe(1)
  const inPlace = run(join(folder, 'a.tar'), { isInPlace: true })
  await expect(inPlace).rejects.toThrow('is an archive, which cannot be used where it lies')
})

test('a speech model with a folder of data is installed', async () => {
  for (const name of ['model.onnx', 'model.int8.onnx']) write(`kokoro/${name}`, makeOnnx())
  for (const name of ['voices.bin', 'tokens.txt', 'espeak-ng-data/lang/en', 'espeak-ng-data/voices/!v/f1'])
    write(`kokoro/${name}`, name)
  await run(join(folder, 'kokoro'))
  expect(entry()?.filePaths).toMatchObject({
    model: join(dataDir, 'models/me/model/model.int8.onnx'),
    data: join(dataDir, 'models/me/model/espeak-ng-data'),
  })
  expect(existsSync(join(dataDir, 'models/me/model/espeak-ng-data/voices/!v/f1'))).toBe(true)
  expect(entry()?.status.kind).toBe('ready')
  expect(entry()?.manifest.synthesizer?.kind).toBe('kokoro')
})

test('the operator’s manifest says what the files are', async () => {
  const path = embedderFolder()
  const { toml } = await run(path, { isTrial: true })
  expect(existsSync(dataDir)).toBe(false)
  const edited = write(
    'edited.toml',
    toml.replace('pooling = "mean"', 'pooling = "cls"').replace('context_length = 512', 'context_length = 128'),
  )
  const read = readManifestFile(edited)
  if (!('manifest' in read)) throw new Error(read.problem)
  await run(path, { manifest: read.manifest })
  expect(entry()?.manifest).toMatchObject({ contextLength: 128, encoder: { pooling: 'cls' } })
  rmSync(join(path, 'tokenizer.json'))
  await expect(run(path, { manifest: read.manifest })).rejects.toThrow(
    'holds no file tokenizer.json, which the manifest names',
  )
})

test('any part of a split model brings all of them', async () => {
  const whole = tinyGguf()
  write('split/tiny-00001-of-00002.gguf', whole)
  await expectRefusal(run(join(folder, 'split/tiny-00001-of-00002.gguf')), 'its part 2 of 2')
  write('split/tiny-00002-of-00002.gguf', whole)
  await expectRefusal(run(join(folder, 'split/tiny-00002-of-00002.gguf')), 'its name says 2')
})

test('a model of Ollama is linked, under a name that says what it is', async () => {
  const sum = 'a'.repeat(64)
  write(`ollama/blobs/sha256-${sum}`, tinyGguf())
  const layers = [{ mediaType: 'application/vnd.ollama.image.model', digest: `sha256:${sum}` }]
  write('ollama/manifests/registry.ollama.ai/library/tiny/latest', { layers })
  const found = findInOllama(join(folder, 'ollama'), 'tiny')
  const { path, placement } = await run(found.model, { fileName: found.name })
  expect({ path, placement }).toEqual({ path: join(dataDir, 'models/me/model/tiny-latest.gguf'), placement: 'linked' })
  expect(entry()?.status.kind).toBe('ready')
})

test.each<[string, object | string, string]>([
  [
    'a sum that leads out',
    { layers: [{ mediaType: 'application/vnd.ollama.image.model', digest: 'sha256:../../etc/passwd' }] },
    'names the sum',
  ],
  ['no layers', {}, 'is no manifest of Ollama'],
  ['no JSON', 'x', 'is not JSON'],
  ['no model', { layers: [] }, 'has 0 model files'],
  ['an adapter', { layers: [{ mediaType: 'application/vnd.ollama.image.adapter', digest: 'x' }] }, 'has adapters'],
])('an Ollama store with %s is refused', (_, manifest, reason) => {
  write('ollama/manifests/registry.ollama.ai/library/tiny/latest', manifest)
  expect(() => findInOllama(join(folder, 'ollama'), 'tiny')).toThrow(reason)
})

test.each(['../x', 'a/../../b', '.hidden', 'a:..', '', 'a b'])('%p is no name of Ollama’s', (name) => {
  expect(() => findInOllama(folder, name)).toThrow('is no name of Ollama')
})

test('a hub snapshot is linked blob by blob', async () => {
  const path = join(folder, 'models--a--b/snapshots/c0ffee')
  write('models--a--b/blobs/sum', tinyGguf())
  mkdirSync(path, { recursive: true })
  symlinkSync('../../blobs/sum', join(path, 'tiny.Q8_0.gguf'))
  await run(path)
  const installed = join(dataDir, 'models/me/model/tiny.Q8_0.gguf')
  expect(statSync(installed).ino).toBe(statSync(join(folder, 'models--a--b/blobs/sum')).ino)
})

test('a model that another one has already is not kept twice', async () => {
  const elsewhere = mkdtempSync('/dev/shm/elsewhere-')
  try {
    writeFileSync(join(elsewhere, 'tiny.gguf'), tinyGguf())
    await run(join(elsewhere, 'tiny.gguf'), { id: 'me/first' })
    expect((await run(join(elsewhere, 'tiny.gguf'), { id: 'me/second' })).placement).toBe('linked')
    const [first, second] = ['first', 'second'].map((name) => statSync(join(dataDir, 'models/me', name, 'tiny.gguf')))
    expect(first?.ino).toBe(second?.ino)
  } finally {
    rmSync(elsewhere, { recursive: true })
  }
})

test('a full disk at any point of an import leaves what was there', async () => {
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  if (Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).exitCode !== 0) return
  try {
    dataDir = disk
    const path = write('tiny.gguf', tinyGguf())
    await run(path)
    const before = readFileSync(join(disk, 'models/me/model/tiny.gguf'))
    const other = write('other.gguf', tinyGguf({ seed: 2 }))
    let refusals = 0
    // Each attempt finds four pages more of free space.
    for (let filler = 160; filler > 60; filler -= 4) {
      writeFileSync(join(disk, 'filler'), Buffer.alloc(filler * 4096))
      const imported = await run(other, { id: 'me/other' }).then(
        () => true,
        () => false,
      )
      expect(entry('me/other')?.status.kind).toBe(imported ? 'ready' : undefined)
      expect(readdirSync(join(disk, 'models/me')).filter((name) => name.startsWith('.'))).toEqual([])
      if (imported) break
      refusals++
      rmSync(join(disk, 'filler'))
    }
    expect(refusals).toBeGreaterThan(3)
    expect(readFileSync(join(disk, 'models/me/model/tiny.gguf')).equals(before)).toBe(true)
    expect(entry()?.status.kind).toBe('ready')
  } finally {
    Bun.spawnSync(['umount', disk])
  }
})

import { beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { shippedManifests } from '../../../models/index.ts'
import { Catalog } from '../../catalog/catalog.ts'
import { manifestToToml } from '../../catalog/manifest-to-toml.ts'
import { parseManifest } from '../../catalog/parse-manifest.ts'
import { writePullNote } from '../../catalog/pull-note.ts'
import { tinyGguf } from '../../testing/gguf/tiny-gguf.ts'
import { ImportError } from './found-model.ts'
import { type ImportOptions, importModel } from './import-model.ts'
import { stageFiles } from './stage-files.ts'

let folder = ''
let dataDir = ''
let file = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-import-'))
  dataDir = join(folder, 'data')
  file = join(folder, 'tiny.gguf')
  writeFileSync(file, tinyGguf({ contextTokens: 2048 }))
})

function run(change: Partial<ImportOptions> = {}) {
  return importModel({ path: file, id: 'me/tiny', dataDir, isInPlace: false, known: undefined, aliases: [], ...change })
}

function catalog(): Catalog {
  return new Catalog({ shipped: [], shippedAtMs: 0, dataDir, shippedFile: () => undefined })
}

test('a file becomes a model that is ready, linked and not copied', async () => {
  const imported = await run({ aliases: ['tiny'] })
  expect(imported.placement).toBe('linked')
  expect(statSync(imported.path).ino).toBe(statSync(file).ino)
  expect(catalog().resolve('tiny')?.entry).toMatchObject({
    manifest: { id: 'me/tiny', type: 'chat', engine: 'llama', contextLength: 2048 },
    status: { kind: 'ready' },
    filePaths: { model: join(dataDir, 'models/me/tiny/tiny.gguf') },
  })
})

test('a model imported in place stays where it lies', async () => {
  const imported = await run({ isInPlace: true })
  expect(imported).toMatchObject({ placement: 'in-place', path: file })
  expect(existsSync(join(dataDir, 'models'))).toBe(false)
  expect(catalog().resolve('me/tiny')?.entry).toMatchObject({ status: { kind: 'ready' }, filePaths: { model: file } })
})

test.skipIf(!existsSync('/dev/shm'))('a file on another file system is copied', async () => {
  const elsewhere = mkdtempSync('/dev/shm/elsewhere-')
  const source = join(elsewhere, 'tiny.gguf')
  writeFileSync(source, tinyGguf())
  const imported = await run({ path: source })
  expect(imported.placement).toBe(statSync(elsewhere).dev === statSync(folder).dev ? 'linked' : 'copied')
  expect(readFileSync(imported.path).equals(readFileSync(source))).toBe(true)
})

test('a link is followed to the file', async () => {
  const link = join(folder, 'link.gguf')
  symlinkSync(file, link)
  const { path } = await run({ path: link })
  expect(lstatSync(path).isFile()).toBe(true)
  expect(statSync(path).ino).toBe(statSync(file).ino)
})

test('importing again replaces the file and leaves nothing behind', async () => {
  await run()
  await run()
  const other = join(folder, 'other', '..', 'tiny2.gguf')
  writeFileSync(other, tinyGguf({ seed: 2 }))
  await run({ path: other })
  expect(readdirSync(join(dataDir, 'models.d'))).toEqual(['me%2Ftiny.toml'])
  expect(readdirSync(join(dataDir, 'models/me/tiny')).sort()).toEqual(['lock.json', 'tiny2.gguf'])
  expect(catalog().resolve('me/tiny')?.entry.filePaths.model).toBe(join(dataDir, 'models/me/tiny/tiny2.gguf'))
})

test('files whose names cannot be kept, or are the same, get names of their own, and their sources stay as they are', async () => {
  const other = join(folder, 'other')
  mkdirSync(other)
  const pairs = [
    ['modèle.gguf', 'tête.gguf', 'model.gguf', 'mtp.gguf'],
    ['same.gguf', 'Same.gguf', 'same.gguf', 'mtp-Same.gguf'],
  ] as const
  for (const [name, headName, ...expected] of pairs) {
    const [path, mtp] = [join(folder, name), join(other, headName)]
    writeFileSync(path, tinyGguf())
    writeFileSync(mtp, tinyGguf({ seed: 2 }))
    const id = `me/${expected[0]}`
    await run({ path, mtp, id })
    expect(readFileSync(path).equals(tinyGguf())).toBe(true)
    expect(readFileSync(mtp).equals(tinyGguf({ seed: 2 }))).toBe(true)
    expect(readdirSync(join(dataDir, 'models', id)).sort()).toEqual(['lock.json', ...expected].sort())
  }
})

test('two files of one name are refused, and the source of the first is not overwritten', async () => {
  const other = join(folder, 'other', 'tiny.gguf')
  mkdirSync(join(folder, 'other'))
  writeFileSync(other, tinyGguf({ seed: 2 }))
  const files = [file, other].map((path, index) => ({ role: ['model', 'mtp'][index] ?? '', name: 'tiny.gguf', path }))
  const staged = stageFiles({
    files,
    folder: join(dataDir, 'models/me/tiny'),
    staging: folder,
    source: file,
    others: [],
  })
  await expect(staged).rejects.toThrow('two of the files would have the names tiny.gguf and tiny.gguf')
  expect(readFileSync(file).equals(tinyGguf({ contextTokens: 2048 }))).toBe(true)
})

test('an import that fails at its last step leaves the model that was there, with its lock and its manifest', async () => {
  await run()
  const manifest = join(dataDir, 'models.d/me%2Ftiny.toml')
  const state = () => [
    readFileSync(join(dataDir, 'models/me/tiny/lock.json'), 'utf8'),
    readdirSync(join(dataDir, 'models/me')),
  ]
  const before = state()
  const path = join(folder, 'other.gguf')
  writeFileSync(path, tinyGguf({ seed: 2 }))
  // Makes folders at the paths of the manifest and its temporary file.
  for (const obstacle of [`${manifest}.tmp`, manifest]) {
    rmSync(obstacle, { force: true })
    mkdirSync(join(obstacle, 'full'), { recursive: true })
    await expect(run({ path })).rejects.toThrow(ImportError)
    expect(state()).toEqual(before)
    expect(readdirSync(join(dataDir, 'models/me/tiny'))).toEqual(['lock.json', 'tiny.gguf'])
    rmSync(obstacle, { recursive: true })
  }
  await expect(run({ path, id: 'me/new' })).resolves.toMatchObject({ placement: 'linked' })
})

test('one import of a model runs at a time, and none while it is pulled', async () => {
  const second = { message: `another import of me/tiny is running; wait until it has ended` }
  const probe = async () => {
    await expect(run()).rejects.toMatchObject(second)
    return []
  }
  await run({ probe })
  expect(readdirSync(join(dataDir, 'models/me'))).toEqual(['tiny'])
  writePullNote(join(dataDir, 'models/me/tiny'), { doneBytes: 0, totalBytes: 1, promisedBytes: 1 })
  await expect(run()).rejects.toThrow(`a pull of me/tiny is running (pid ${process.pid}); end it first`)
})

test('what a killed import left is no obstacle, and a failed one leaves no folder', async () => {
  const left = join(dataDir, 'models/me/.tiny.importing/new')
  mkdirSync(left, { recursive: true })
  linkSync(file, join(left, 'tiny.gguf'))
  await run()
  expect(readdirSync(join(dataDir, 'models/me'))).toEqual(['tiny'])
  await expect(run({ id: 'other/one', probe: () => Promise.reject(new Error('no')) })).rejects.toThrow('no')
  expect(readdirSync(join(dataDir, 'models'))).toEqual(['me'])
  expect(readFileSync(file).equals(tinyGguf({ contextTokens: 2048 }))).toBe(true)
})

test('a model that is now used in place has no files of its own any more', async () => {
  await run()
  const { path } = await run({ isInPlace: true })
  expect(path).toBe(file)
  expect(existsSync(join(dataDir, 'models/me/tiny'))).toBe(false)
  const own = join(dataDir, 'models/me/own/model.gguf')
  mkdirSync(join(own, '..'), { recursive: true })
  writeFileSync(own, tinyGguf())
  await run({ path: own, id: 'me/own', isInPlace: true })
  expect(existsSync(own)).toBe(true)
})

test('a file of the same size that changes while it is read is not imported', async () => {
  const onBytes = () => {
    writeFileSync(file, tinyGguf({ contextTokens: 2049 }))
    utimesSync(file, 1, 1)
  }
  await expect(run({ onBytes })).rejects.toThrow(`${file} changed while it was imported; try again`)
  expect(readdirSync(join(dataDir, 'models'))).toEqual([])
})

test('ids that look alike have manifests of their own', async () => {
  await run({ id: 'a--b/c' })
  await run({ id: 'a/b--c' })
  const opened = catalog()
  expect(['a--b/c', 'a/b--c'].map((id) => opened.resolve(id)?.entry.status.kind)).toEqual(['ready', 'ready'])
})

test('a link left by an import that died does not make the source be overwritten', async () => {
  const before = readFileSync(file)
  mkdirSync(join(dataDir, 'models/me/tiny'), { recursive: true })
  linkSync(file, join(dataDir, `models/me/tiny/tiny.gguf.${process.pid}.tmp`))
  expect((await run()).placement).toBe('linked')
  expect(readFileSync(file).equals(before)).toBe(true)
})

test('what the catalog knows of the model is kept', async () => {
  const known = parseManifest('x', {
    id: 'me/tiny',
    type: 'chat',
    engine: 'llama',
    license: 'mit',
    aliases: [{ id: 'gpt-4o-mini', reasoning: 'off' }],
    files: [{ role: 'model', url: 'hf://a/b/c.gguf' }],
    pricing: { input: 0.08, output: 0.35, unit: '1M_tokens' },
    capabilities: { tools: true },
    defaults: { top_p: 0.8 },
  })
  await run({ known, aliases: ['tiny', 'gpt-4o-mini'] })
  const { manifest } = catalog().resolve('gpt-4o-mini')?.entry ?? {}
  expect(manifest).toMatchObject({
    type: 'chat',
    license: 'mit',
    pricing: known.pricing,
    capabilities: { tools: true },
  })
  expect(manifest?.aliases).toEqual([{ id: 'gpt-4o-mini', reasoning: 'off' }, { id: 'tiny' }])
  expect(manifest?.defaults.topP).toBe(0.8)
})

test('a model that sees reads text alone when it comes without its projector', async () => {
  const files = ['model', 'mmproj'].map((role) => ({ role, url: `hf://a/b/${role}.gguf` }))
  const known = parseManifest('x', { id: 'me/tiny', type: 'vision', engine: 'llama', files })
  const { manifest, found } = await run({ known })
  expect(manifest).toMatchObject({ type: 'chat', files: [{ role: 'model' }] })
  expect(found.notes).toContainEqual(expect.stringContaining('it reads text alone'))
})

test('whether the model thinks is left to its template, unless the catalog says otherwise', async () => {
  const reasoning = () => catalog().resolve('me/tiny')?.entry.manifest.defaults.reasoning
  const manifest = { id: 'me/tiny', type: 'chat', engine: 'llama', files: [{ role: 'model', url: 'hf://a/b/c.gguf' }] }
  await run()
  expect(reasoning()).toBeUndefined()
  await run({ known: parseManifest('x', { ...manifest, defaults: { reasoning: 'off' } }) })
  expect(reasoning()).toBe('off')
})

test('a context length that no manifest may have is cut to the largest', async () => {
  writeFileSync(file, tinyGguf({ contextTokens: 2 ** 31 }))
  await run()
  expect(catalog().problems()).toEqual([])
  expect(catalog().resolve('me/tiny')?.entry.manifest.contextLength).toBe(16_777_216)
})

test('a damaged or missing file is refused and nothing is written', async () => {
  writeFileSync(file, tinyGguf().slice(0, 9000))
  await expect(run()).rejects.toThrow(`${file} is cut short`)
  await expect(run({ path: join(folder, 'nothing.gguf') })).rejects.toThrow(ImportError)
  expect(existsSync(dataDir)).toBe(false)
})

test('a manifest written out reads back the same, whatever its texts hold', () => {
  const text = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 20 })
    .filter((value) => !value.includes('\0') && value.isWellFormed())
  fc.assert(
    fc.property(
      text,
      fc.nat(10_000_000),
      fc.option(fc.constantFrom('off', 'on'), { nil: undefined }),
      (path, price, reasoning) => {
        const manifest = parseManifest('x', {
          id: 'a/b',
          type: 'chat',
          engine: 'llama',
          files: [{ role: 'model', path }],
          aliases: [{ id: 'c', ...(reasoning === undefined ? {} : { reasoning }) }],
          pricing: { input: price / 1e6, output: 1, unit: '1M_tokens' },
          capabilities: { tools: true, reasoning: 'none' },
          llama: { context_tokens: 4096, kv_type: 'q8_0', share_cache: true },
          defaults: { top_k: 3, min_p: 0.05, max_tokens: 100, repetition_detection: false },
        })
        expect(parseManifest('y', Bun.TOML.parse(manifestToToml(manifest)))).toEqual(manifest)
      },
    ),
    { numRuns: 200 },
  )
})

test('every shipped manifest is the same after a round through TOML', () => {
  const manifests = shippedManifests.map(({ file: path, content }) => parseManifest(path, content))
  for (const manifest of manifests) {
    expect(parseManifest('y', Bun.TOML.parse(manifestToToml(manifest)))).toEqual(manifest)
  }
})

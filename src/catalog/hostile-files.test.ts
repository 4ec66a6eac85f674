/** Hostile entries in a data folder: real FIFOs, sockets, loops of links and unreadable files. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importModel } from '../store/import/import-model.ts'
import { tinyGguf } from '../testing/gguf/tiny-gguf.ts'
import { Catalog } from './catalog.ts'

let dataDir = ''
let folder = ''

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'inferd-hostile-'))
  folder = join(dataDir, 'models.d')
  mkdirSync(folder)
  writeFileSync(join(folder, 'sound.toml'), manifest('me/sound', 'fake'))
})

afterEach(() => rmSync(dataDir, { recursive: true }))

const nobody = 65_534

/**
 * Returns the result of `work`, run as a user whom file permissions bind and who owns `paths`. If the tests run as
 * root, the whole process changes its user meanwhile, so `work` must not wait for anything.
 */
function asPlainUser<Result>(paths: readonly string[], work: () => Result): Result {
  if (process.geteuid?.() !== 0) return work()
  for (const path of paths) chownSync(path, nobody, nobody)
  process.seteuid?.(nobody)
  try {
    return work()
  } finally {
    process.seteuid?.(0)
  }
}

function manifest(id: string, engine: string, path?: string): string {
  const file = path === undefined ? '' : `\n[[files]]\nrole = "model"\npath = "${path}"\n`
  return `id = "${id}"\ntype = "chat"\nengine = "${engine}"\n${file}`
}

function open(told: string[] = []) {
  return new Catalog({
    shipped: [],
    shippedAtMs: 0,
    dataDir,
    shippedFile: () => undefined,
    onProblem: (problem) => told.push(problem),
  })
}

function makeFifo(path: string): void {
  expect(Bun.spawnSync(['mkfifo', path]).exitCode).toBe(0)
}

function ids(catalog: Catalog): string[] {
  return catalog.entries().map(({ manifest: { id } }) => id)
}

const bad: Readonly<Record<string, { readonly make: (path: string) => unknown; readonly reason: string }>> = {
  'a link to itself': { make: (path) => symlinkSync(path, path), reason: 'cannot be read (ELOOP)' },
  'a link to nothing': { make: (path) => symlinkSync('/nowhere/at/all', path), reason: 'cannot be read (ENOENT)' },
  'a folder': { make: (path) => mkdirSync(path), reason: 'is not a file' },
  'a FIFO': { make: makeFifo, reason: 'is not a file' },
  'a device': { make: (path) => symlinkSync('/dev/zero', path), reason: 'is not a file' },
  'a huge file': {
    make: (path) => {
      writeFileSync(path, '')
      truncateSync(path, 2 ** 40)
    },
    reason: 'is larger than 1024 kB',
  },
  'a binary file': {
    make: (path) => writeFileSync(path, new Uint8Array([0, 255, 27, 128])),
    reason: 'is not text in UTF-8',
  },
}

test.each(Object.entries(bad))(
  '%s in place of a manifest is reported once, and the others stay',
  (_, { make, reason }) => {
    const file = join(folder, 'bad.toml')
    make(file)
    const told: string[] = []
    const catalog = open(told)
    expect(ids(catalog)).toEqual(['me/sound'])
    expect(ids(catalog)).toEqual(['me/sound'])
    expect(catalog.problems()).toEqual([{ file, reason }])
    expect(told).toEqual([`${file}: ${reason}`])
    rmSync(file, { recursive: true })
    expect(catalog.problems()).toEqual([])
  },
)

test('a socket in place of a manifest or of a model is not opened', () => {
  const file = join(folder, 'bad.toml')
  using _ = Bun.listen({ unix: file, socket: { data: () => undefined } })
  writeFileSync(join(folder, 'model.toml'), manifest('me/socket', 'llama', file))
  const catalog = open()
  expect(catalog.problems()).toEqual([{ file, reason: 'is not a file' }])
  expect(catalog.resolve('me/socket')?.entry.status).toEqual({ kind: 'broken', reason: 'bad.toml is not a file' })
})

test('manifests nested without end are a problem and no overflow', () => {
  writeFileSync(join(folder, 'deep.toml'), `a=${'['.repeat(500_000)}`)
  expect(open().problems()).toMatchObject([{ file: join(folder, 'deep.toml') }])
})

test.each<[string, (path: string) => void, string]>([
  ['a loop of links', (path) => symlinkSync(path, path), 'cannot be read (ELOOP)'],
  ['a file', (path) => writeFileSync(path, ''), 'cannot be read (ENOTDIR)'],
  ['a FIFO', makeFifo, 'cannot be read (ENOTDIR)'],
])('%s in place of the folder is reported, and mended without a restart', (_, make, reason) => {
  rmSync(folder, { recursive: true })
  make(folder)
  const catalog = open()
  expect(catalog.problems()).toEqual([{ file: folder, reason }])
  expect(ids(catalog)).toEqual([])
  rmSync(folder)
  mkdirSync(folder)
  writeFileSync(join(folder, 'sound.toml'), manifest('me/sound', 'fake'))
  expect(ids(catalog)).toEqual(['me/sound'])
  expect(catalog.problems()).toEqual([])
})

test('a closed folder and a closed manifest are reported, and seen as soon as they are opened', () => {
  const closed = join(folder, 'sound.toml')
  asPlainUser([dataDir, folder, closed], () => {
    const catalog = open()
    for (const [path, open] of [
      [folder, 0o700],
      [closed, 0o600],
    ] as const) {
      chmodSync(path, 0)
      expect(ids(catalog)).toEqual([])
      expect(catalog.problems()).toEqual([{ file: path, reason: 'cannot be read (EACCES)' }])
      chmodSync(path, open)
      expect(ids(catalog)).toEqual(['me/sound'])
      expect(catalog.problems()).toEqual([])
    }
  })
})

test.each(
  Object.entries(bad).filter(([name]) => !['a link to nothing', 'a huge file', 'a binary file'].includes(name)),
)('%s in place of a model makes it broken, and no import takes it', async (name, { make, reason }) => {
  const path = join(dataDir, 'weights.gguf')
  make(path)
  writeFileSync(join(folder, 'model.toml'), manifest('me/model', 'llama', path))
  const status = open().resolve('me/model')?.entry.status
  expect(status).toEqual({ kind: 'broken', reason: `weights.gguf ${reason}` })
  const imported = importModel({ path, id: 'a/b', dataDir, isInPlace: true, known: undefined, aliases: [] })
  await expect(imported).rejects.toThrow(name === 'a folder' ? 'is not a model that inferd recognises' : reason)
})

test.each(['llama', 'fake'])('a closed file makes its model broken until it is opened (engine %s)', (engine) => {
  const path = join(dataDir, engine === 'llama' ? 'weights.gguf' : 'weights.bin')
  writeFileSync(path, tinyGguf())
  writeFileSync(join(folder, 'model.toml'), manifest('me/model', engine, path))
  asPlainUser([dataDir, folder, path], () => {
    const catalog = open()
    chmodSync(path, 0)
    const reason = expect.stringContaining('cannot be read (EACCES)')
    expect(catalog.resolve('me/model')?.entry.status).toEqual({ kind: 'broken', reason })
    chmodSync(path, 0o600)
    expect(catalog.resolve('me/model')?.entry.status).toEqual({ kind: 'ready' })
  })
})

test('the server checks a model of any file name as an import does', () => {
  const path = join(dataDir, 'weights.bin')
  writeFileSync(path, tinyGguf().slice(0, 5000))
  writeFileSync(join(folder, 'model.toml'), manifest('me/model', 'llama', path))
  const reason = expect.stringContaining('weights.bin is cut short')
  expect(open().resolve('me/model')?.entry.status).toEqual({ kind: 'broken', reason })
})

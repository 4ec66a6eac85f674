/** Files that only loads on a GPU use: pulled, kept, bundled and removed by real commands, with a hub over sockets. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCatalog } from '../../catalog/open-catalog.ts'
import type { JudgedBackend } from '../../engines/protocol/backend.ts'
import { type ServerStatus, serveControl } from '../../server/control.ts'
import type { OperationReply } from '../../server/perform.ts'
import { readLock } from '../../store/lock.ts'
import { LoadChecks } from '../../store/verify/load-checks.ts'
import { type FakeHub, startFakeHub } from '../../testing/fake-hub/fake-hub.ts'
import { runCommand } from '../../testing/run-cli.ts'
import { startServedProcess } from '../../testing/served-process.ts'
import { starterTranscriber } from '../../testing/starter-transcriber.ts'

// Each pull starts a child process that estimates the model's memory.
setDefaultTimeout(60_000)

const starter = starterTranscriber().filePaths
const contents = {
  'model.int8.onnx': readFileSync(starter.model ?? ''),
  'tokens.txt': readFileSync(starter.tokens ?? ''),
  // Differs from the other file by a comment, field 6 of the format.
  'model.fp16.onnx': Buffer.concat([readFileSync(starter.model ?? ''), Buffer.from('\x32\x04half')]),
  'model.fp16.onnx.data': Buffer.alloc(70_000, 7),
}
const usual = ['model.int8.onnx', 'tokens.txt']
const forGpu = ['model.fp16.onnx', 'model.fp16.onnx.data']

let hub: FakeHub
let folder = ''
let data = ''
beforeEach(async () => {
  hub = await startFakeHub()
  for (const [name, content] of Object.entries(contents)) hub.put('maker/Ears', name, content)
  folder = mkdtempSync(join(tmpdir(), 'inferd-gpu-files-'))
  data = join(folder, 'data')
  describe(data)
})
afterEach(async () => {
  await hub[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

/** Writes the manifest. `sums` are TOML lines by file name. */
function describe(dataDir: string, sums: Readonly<Record<string, string>> = {}): void {
  const file = (table: string, role: string, name: string) =>
    `[[${table}]]\nrole = "${role}"\nurl = "hf://maker/Ears/${name}"\n${sums[name] ?? ''}\n`
  mkdirSync(join(dataDir, 'models.d'), { recursive: true, mode: 0o700 })
  writeFileSync(
    join(dataDir, 'models.d/ears.toml'),
    [
      'id = "me/ears"\ntype = "stt"\nengine = "speech"\nlicense = "MIT"\n',
      file('files', 'model', 'model.int8.onnx'),
      file('files', 'tokens', 'tokens.txt'),
      ...forGpu.map((name) => file('gpu_files', 'model', name)),
      '[transcriber]\nkind = "zipformer-ctc"\n',
    ].join('\n'),
  )
}

const run = (...words: string[]) => runCommand(words, { INFERD_DATA: data, HF_ENDPOINT: hub.origin, HF_HOME: folder })
async function done(...words: string[]): Promise<string> {
  const { code, out, error } = await run(...words)
  if (code !== 0) throw new Error(`${words.join(' ')}: ${error}`)
  return out
}
const here = (dataDir = data) =>
  readdirSync(join(dataDir, 'models/me/ears'))
    .filter((name) => name in contents)
    .sort()
const locked = (dataDir = data) =>
  readLock(join(dataDir, 'models/me/ears'))
    ?.files.map(({ name }) => name)
    .sort()
const entry = (dataDir = data) => openCatalog(dataDir).resolve('me/ears')?.entry
const all = [...usual, ...forGpu].sort()

test('where no speech computes on a GPU they are neither asked for nor fetched, and the model is ready', async () => {
  const { code, error } = await run('pull', 'me/ears')
  expect({ code, error }).toMatchObject({ code: 0 })
  expect(error).not.toContain('GPU')
  expect(here()).toEqual(usual)
  expect(entry()?.status.kind).toBe('ready')
  expect(hub.requests.filter((request) => JSON.stringify(request).includes('fp16'))).toEqual([])
})

test('--gpu-files fetches them with their sizes told; pulls, du, gc and verify keep them', async () => {
  await run('pull', 'me/ears')
  const { code, error } = await run('pull', 'me/ears', '--gpu-files')
  expect({ code, error }).toMatchObject({ code: 0 })
  expect(error).toContain('me/ears: 2 files to download, 2 here')
  expect(error).toMatch(/model\.fp16\.onnx\.data {2}from hf:maker\/Ears\/model\.fp16\.onnx\.data, for a GPU/)
  expect(error).toMatch(/\d MB of them for a GPU alone: --no-gpu-files leaves them out/)
  expect(entry()?.gpuFilePaths).toEqual({ model: join(data, 'models/me/ears/model.fp16.onnx') })
  for (const words of [['pull', 'me/ears'], ['pull', '--no-gpu-files', 'me/ears'], ['gc', '--yes'], ['verify']]) {
    expect([words, (await run(...words)).code]).toEqual([words, 0])
    expect([words, here(), locked()]).toEqual([words, all, all])
  }
  const usage = JSON.parse((await run('du', '--json')).out)
  const bytes = Object.values(contents).reduce((sum, content) => sum + content.length, 0)
  expect(JSON.stringify(usage)).toContain(`"fileBytes":${bytes}`)
})

test('a plan names them, and --no-gpu-files leaves them out', async () => {
  const planned = async (...words: string[]) => {
    const [plan] = JSON.parse((await run('pull', 'me/ears', '--plan', '--json', ...words)).out)
    return plan.files.map(({ name, isForGpu }: { name: string; isForGpu: boolean }) => [name, isForGpu])
  }
  const withoutThem = usual.map((name) => [name, false])
  expect(await planned('--gpu-files')).toEqual([...withoutThem, ...forGpu.map((name) => [name, true])])
  expect(await planned('--no-gpu-files')).toEqual(withoutThem)
})

test('one that was lost is fetched again where they are wanted; elsewhere the lock forgets it', async () => {
  await run('pull', 'me/ears', '--gpu-files')
  rmSync(join(data, 'models/me/ears/model.fp16.onnx'))
  expect(entry()).toMatchObject({ status: { kind: 'ready' } })
  expect(entry()?.gpuFilePaths).toBeUndefined()
  expect((await run('pull', 'me/ears')).code).toBe(0)
  expect(locked()).toEqual([...usual, 'model.fp16.onnx.data'].sort())
  expect((await run('pull', 'me/ears', '--gpu-files')).code).toBe(0)
  expect([here(), locked()]).toEqual([all, all])
})

test('a damaged one is repaired by a pull, and does not keep the model from being served', async () => {
  await run('pull', 'me/ears', '--gpu-files')
  const path = join(data, 'models/me/ears/model.fp16.onnx.data')
  writeFileSync(path, Buffer.alloc(70_000, 8))
  const { code, error } = await run('verify')
  expect({ code, error }).toMatchObject({ code: 1, error: expect.stringContaining('damaged and kept from the GPU') })
  expect(entry()).toMatchObject({ status: { kind: 'ready' } })
  expect(entry()?.gpuFilePaths).toBeUndefined()
  expect((await run('pull', 'me/ears')).code).toBe(0)
  expect(readFileSync(path).equals(contents['model.fp16.onnx.data'])).toBe(true)
  expect(entry()?.gpuFilePaths).toBeDefined()
})

async function checkBeforeLoad(suspectAfterMs = Number.POSITIVE_INFINITY) {
  const checks = new LoadChecks({ dataDir: data, suspectAfterMs })
  try {
    return await checks.check('me/ears', { optional: entry()?.manifest.gpuFiles })
  } finally {
    checks.close()
  }
}

test('a load goes on without one that is known to be damaged, or is no file', async () => {
  await run('pull', 'me/ears', '--gpu-files')
  writeFileSync(join(data, 'models/me/ears/model.fp16.onnx.data'), Buffer.alloc(70_000, 8))
  expect(await checkBeforeLoad()).toContain('model.fp16.onnx.data is damaged')
  expect(entry()?.gpuFilePaths).toBeUndefined()
  expect(await checkBeforeLoad()).toBeUndefined()
  // The other files are read completely and are sound.
  expect(await checkBeforeLoad(0)).toBeUndefined()
  expect(entry()?.gpuFilePaths).toBeUndefined()
  const path = join(data, 'models/me/ears/model.fp16.onnx')
  rmSync(path)
  mkdirSync(path)
  expect(await checkBeforeLoad()).toBeUndefined()
  expect(entry()).toMatchObject({ status: { kind: 'ready' } })
})

/** Carries the model to another box. Returns the exit code there, and its data folder. */
async function carry(from: string) {
  const [stick = '', other = '', key = '', terms = ''] = ['stick', 'other', 'key', 'terms.txt'].map((name) =>
    join(folder, name),
  )
  writeFileSync(terms, 'As you like.')
  mkdirSync(stick)
  const { publicKey } = JSON.parse(await done('bundle', 'keygen', key, '--no-password', '--json'))
  const license = `MIT=${terms}`
  await done('bundle', 'create', 'me/ears', '--to', stick, '--key', key, '--license-text', license, '--data', from)
  const { code } = await run('bundle', 'install', stick, '--data', other, '--trust-key', publicKey)
  return { code, other }
}

test.each([
  ['with them', ['--gpu-files'], all],
  ['without them', [], usual],
])('a bundle of a model %s carries what is there', async (_, flags, expected) => {
  await run('pull', 'me/ears', ...flags)
  const { code, other } = await carry(data)
  expect(code).toBe(0)
  expect([here(other), locked(other)]).toEqual([expected, expected])
  expect(entry(other)?.status.kind).toBe('ready')
  expect(entry(other)?.gpuFilePaths !== undefined).toBe(flags.length > 0)
})

test('an incomplete set is neither carried nor shared', async () => {
  await using giver = await startServedProcess(['--share', 'key'])
  describe(giver.dataDir)
  await done('pull', 'me/ears', '--gpu-files', '--data', giver.dataDir)
  rmSync(join(giver.dataDir, 'models/me/ears/model.fp16.onnx.data'))
  const { code, other } = await carry(giver.dataDir)
  expect([code, here(other)]).toEqual([0, usual])
  const source = `inferd://${new URL(giver.baseUrl).host}/me/ears`
  const environment = { INFERD_DATA: data, INFERD_SHARE_KEY: giver.key }
  expect((await runCommand(['pull', source, '--gpu-files'], environment)).code).toBe(0)
  expect(here()).toEqual(usual)
})

test('a bundle of a model that is used where it lies carries all files of a role', async () => {
  const given = join(folder, 'given')
  mkdirSync(given)
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(given, name), content)
  const manifest = join(folder, 'ears.toml')
  renameSync(join(data, 'models.d/ears.toml'), manifest)
  await done('import', given, '--manifest', manifest, '--in-place')
  const { code, other } = await carry(data)
  expect([code, here(other), locked(other)]).toEqual([0, all, all])
  expect(entry(other)?.gpuFilePaths).toBeDefined()
})

test('from another box come those that are wanted, and none that the own catalog knows otherwise', async () => {
  await using giver = await startServedProcess(['--share', 'key'])
  describe(giver.dataDir)
  await done('pull', 'me/ears', '--gpu-files', '--data', giver.dataDir)
  const source = `inferd://${new URL(giver.baseUrl).host}/me/ears`
  const take = (...words: string[]) =>
    runCommand(['pull', source, ...words], { INFERD_DATA: data, INFERD_SHARE_KEY: giver.key })
  describe(data, { 'model.fp16.onnx': `sha256 = "${'a'.repeat(64)}"` })
  const { code, error } = await take('--gpu-files')
  expect({ code, error }).toMatchObject({ code: 1, error: expect.stringContaining('has another model.fp16.onnx') })
  const without = await take('--no-gpu-files')
  expect(without).toMatchObject({ code: 0, error: expect.stringContaining('no sums: model.int8.onnx, tokens.txt\n') })
  expect(here()).toEqual(usual)
  describe(data)
  expect((await take('--gpu-files')).code).toBe(0)
  expect(here()).toEqual(all)
})

test.each([
  ['a folder with them', forGpu, all],
  ['a folder with a part of them', ['model.fp16.onnx'], usual],
])('an import by a manifest takes them from %s', async (_, there, expected) => {
  const given = join(folder, 'given')
  mkdirSync(given)
  for (const name of [...usual, ...there]) writeFileSync(join(given, name), contents[name as keyof typeof contents])
  const manifest = join(folder, 'ears.toml')
  renameSync(join(data, 'models.d/ears.toml'), manifest)
  await done('import', given, '--manifest', manifest)
  expect([here(), locked()]).toEqual([expected, expected])
  expect(entry()?.status.kind).toBe('ready')
  expect(entry()?.gpuFilePaths !== undefined).toBe(there === forGpu)
})

const onnx = { id: 'cuda', kind: 'onnx', backend: 'cuda', label: 'ONNX Runtime on CUDA' } as const
const computes = { ...onnx, verdict: { state: 'computes', devices: [{ name: 'CUDA0' }], tookMs: 1 } } as const

/** Serves the control socket of the data folder, with these backends. */
function serveBackends(backends: readonly JudgedBackend[] | undefined) {
  writeFileSync(join(data, 'inferd.db'), '')
  const reply = (): OperationReply =>
    backends === undefined ? { kind: 'failed', message: 'it is busy' } : { kind: 'done', result: backends }
  const server = serveControl(data, {
    status: () => ({}) as ServerStatus, // of this nothing is read
    steps: async () => [],
    unload: async () => undefined,
    log: { lines: () => [], follow: () => () => undefined },
    perform: async () => reply(),
  })
  return { [Symbol.asyncDispose]: () => server.stop() }
}

test('where the running server says that speech computes on a GPU a pull fetches them', async () => {
  await using _server = serveBackends([computes])
  const { code, error } = await run('pull', 'me/ears')
  expect({ code, error }).toMatchObject({ code: 0, error: expect.stringContaining(', for a GPU') })
  expect(here()).toEqual(all)
})

test('where their source lacks them a pull leaves them out, unless they are asked for', async () => {
  const file = join(data, 'models.d/ears.toml')
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('Ears/model.fp16', 'Ears/gone.fp16'))
  const { code, error } = await run('pull', 'me/ears', '--gpu-files')
  expect({ code, error }).toMatchObject({ code: 1, error: expect.stringContaining('the repository has no such file') })
  await using _server = serveBackends([computes])
  expect(await run('pull', 'me/ears')).toMatchObject({
    code: 0,
    error: expect.stringContaining('its files for a GPU are left out: http'),
  })
  expect([here(), entry()?.status.kind]).toEqual([usual, 'ready'])
})

test.each([
  ['says no', ['pull', '--no-gpu-files', 'me/ears'], [computes]],
  ['uses the CPU alone', ['pull', 'me/ears'], [{ ...onnx, verdict: { state: 'no-device' } } as const]],
])('where somebody %s it does not', async (_, words, backends) => {
  await using _server = serveBackends(backends)
  expect((await run(...words)).code).toBe(0)
  expect(here()).toEqual(usual)
})

test('a server that cannot tell is no reason not to pull', async () => {
  await using _server = serveBackends(undefined)
  const { code, error } = await run('pull', 'me/ears')
  expect({ code, error }).toMatchObject({ code: 0, error: expect.stringContaining('is not known') })
  expect(here()).toEqual(usual)
})

/** Files that only loads on a GPU use: in manifests, and in the catalog while they appear and disappear. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Catalog } from './catalog.ts'
import { damageNoteName, damageText } from './damage-note.ts'
import { manifestToToml } from './manifest-to-toml.ts'
import { parseManifest } from './parse-manifest.ts'

const file = (role: string, name: string) => ({ role, url: `hf://org/ears/${name}` })
const ears = {
  id: 'org/ears',
  type: 'stt',
  engine: 'speech',
  files: [file('encoder', 'e.int8.onnx'), file('decoder', 'd.int8.onnx'), file('tokens', 'tokens.txt')],
  gpu_files: [file('encoder', 'e.fp16.onnx'), file('encoder', 'e.fp16.onnx.data')],
  transcriber: { kind: 'whisper' },
}

let dataDir = ''
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'inferd-gpu-files-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const folder = () => join(dataDir, 'models/org/ears')
function put(...names: readonly string[]): void {
  mkdirSync(folder(), { recursive: true })
  for (const name of names) writeFileSync(join(folder(), name), name)
}

function entry() {
  const shipped = [{ file: 'models/stt/ears.toml', content: ears }]
  const found = new Catalog({ shipped, shippedAtMs: 0, dataDir, shippedFile: () => undefined }).resolve('org/ears')
  if (found === undefined) throw new Error('the model is not there')
  return found.entry
}

function noteDamage(name: string): void {
  const { mtimeMs, ino } = statSync(join(folder(), name))
  const damaged = { name, chunks: [0], chunkCount: 1, stat: { mtimeMs, inode: ino } }
  writeFileSync(join(folder(), damageNoteName), damageText([damaged]))
}

test('a model is ready without its files for a GPU, and has them once all are here', () => {
  put('e.int8.onnx', 'd.int8.onnx', 'tokens.txt')
  const before = entry()
  expect(before.status).toEqual({ kind: 'ready' })
  expect(before.gpuFilePaths).toBeUndefined()
  put('e.fp16.onnx')
  expect(entry()).toEqual(before)
  put('e.fp16.onnx.data')
  const after = entry()
  expect(after.gpuFilePaths).toEqual({ encoder: join(folder(), 'e.fp16.onnx') })
  expect(after.filePaths).toEqual(before.filePaths)
  // Another version makes the server load the model again.
  expect(after.filesVersion).not.toBe(before.filesVersion)
})

test('files for a GPU alone make no model', () => {
  put('e.fp16.onnx', 'e.fp16.onnx.data')
  expect(entry().status).toEqual({ kind: 'available' })
})

test('a damaged or wrong file for a GPU takes them from the GPU, and the model is served', () => {
  put('e.int8.onnx', 'd.int8.onnx', 'tokens.txt', 'e.fp16.onnx', 'e.fp16.onnx.data')
  noteDamage('e.fp16.onnx.data')
  expect(entry()).toMatchObject({ status: { kind: 'ready' } })
  expect(entry().gpuFilePaths).toBeUndefined()
  noteDamage('e.int8.onnx')
  expect(entry().status.kind).toBe('broken')
  rmSync(join(folder(), damageNoteName))
  expect(entry().gpuFilePaths).toBeDefined()
  rmSync(join(folder(), 'e.fp16.onnx'))
  mkdirSync(join(folder(), 'e.fp16.onnx'))
  expect(entry()).toMatchObject({ status: { kind: 'ready' } })
  expect(entry().gpuFilePaths).toBeUndefined()
})

test('the manifest is written down and read back with them', () => {
  const manifest = parseManifest('ears.toml', ears)
  expect(manifest.gpuFiles?.map(({ name }) => name)).toEqual(['e.fp16.onnx', 'e.fp16.onnx.data'])
  expect(parseManifest('ears.toml', Bun.TOML.parse(manifestToToml(manifest)))).toEqual(manifest)
})

const whole = [{ role: 'model', url: 'hf://org/m/model.gguf' }]
test.each([
  [{ gpu_files: [] }, '"gpu_files" must be a list of at least one table'],
  [
    { gpu_files: [file('vad', 'v.onnx')] },
    'kind "whisper" has no file with role "vad"; it has encoder, decoder, tokens',
  ],
  [{ gpu_files: [file('encoder', 'e.int8.onnx')] }, 'two files cannot have the names "e.int8.onnx" and "e.int8.onnx"'],
  [{ gpu_files: [file('encoder', 'a/e.onnx'), { ...file('encoder', 'e.data'), name: 'b/e.data' }] }, 'one folder'],
  [{ gpu_files: [{ role: 'encoder', name: 'e.onnx' }] }, 'needs a url or a path'],
  [{ gpu_files: [{ ...file('encoder', 'e.onnx'), name: '../e.onnx' }] }, 'cannot have the name'],
  [
    {
      files: [file('model', 'm.int8.onnx'), file('tokens', 'tokens.txt')],
      gpu_files: [{ ...file('model', 'm.tar.bz2'), unpack: true }],
      transcriber: { kind: 'zipformer-ctc' },
    },
    'an archive with all files is for the kinds vits, kokoro, matcha',
  ],
  [
    { type: 'chat', engine: 'llama', files: whole, transcriber: undefined },
    '"gpu_files" is for models of engine "speech"',
  ],
])('%p is refused', (change, problem) => {
  const content = JSON.parse(JSON.stringify({ ...ears, ...change }))
  expect(() => parseManifest('ears.toml', content)).toThrow(problem)
})

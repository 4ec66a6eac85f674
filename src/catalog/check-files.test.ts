import { expect, test } from 'bun:test'
import { parseManifest } from './parse-manifest.ts'

const sum = 'a'.repeat(64)

function filesOf(...files: object[]) {
  return parseManifest('x', { id: 'org/model', type: 'stt', engine: 'fake', files }).files
}

function problemOf(...files: object[]): string {
  try {
    filesOf(...files)
    return 'accepted'
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^x: /, '') : String(error)
  }
}

test('a file is named by the last part of its address, unless the manifest names it', () => {
  const named = (file: object) => filesOf({ role: 'model', ...file })[0]?.name
  expect(named({ url: 'hf://org/repo/onnx/model.onnx' })).toBe('model.onnx')
  expect(named({ url: 'hf://org/repo@v1.0/onnx/model.onnx', name: 'a/b.onnx' })).toBe('a/b.onnx')
  expect(named({ url: 'https://host/a%20b.gguf?download=true' })).toBe('a b.gguf')
  expect(named({ url: 'https://host/tts.tar.bz2', unpack: true })).toBe('tts')
  expect(named({ path: '/elsewhere/model.gguf' })).toBe('model.gguf')
})

test('the parts of a split model share a role, in their order', () => {
  const parts = [1, 2].map((part) => ({
    role: 'model',
    url: `hf://o/r/m-0000${part}-of-00002.gguf`,
    sha256: sum,
    bytes: part,
  }))
  expect(filesOf(...parts).map(({ name }) => name)).toEqual(['m-00001-of-00002.gguf', 'm-00002-of-00002.gguf'])
})

const url = 'hf://o/r/m'
test.each([
  [[{ role: 'model' }], 'the file with role "model" needs a url or a path'],
  [[{ role: 'model', url, path: 'm' }], 'the file with role "model" has a url and a path: it can have one of them'],
  [
    [{ role: 'm', url: 'hf://o/r' }],
    'the file with role "m" has no address of a hub\'s file: hf://<org>/<repository>/<path>',
  ],
  [
    [{ role: 'm', url: 'hf://o/r/../x', name: 'x' }],
    'the file with role "m" has no address of a hub\'s file: hf://<org>/<repository>/<path>',
  ],
  [
    [{ role: 'm', url: 'hf://../r/x' }],
    'the file with role "m" has no address of a hub\'s file: hf://<org>/<repository>/<path>',
  ],
  [
    [{ role: 'm', url: 'https://h/m', commit: 'a'.repeat(40) }],
    'the file with role "m" has a commit: only files of a hub, hf://…, have one',
  ],
  [[{ role: 'm', url, commit: 'main' }], '"files[0].commit" must be 40 hexadecimal digits, not "main"'],
  [
    [{ role: 'm', url: 'ftp://h/m' }],
    '"files[0].url" must be hf://<org>/<repository>[@<revision>]/<path> or an http URL, not "ftp://h/m"',
  ],
  [
    [
      { role: 'a', url },
      { role: 'b', url: 'hf://o/other/M' },
    ],
    'two files cannot have the names "m" and "M"',
  ],
  [
    [
      { role: 'a', url },
      { role: 'b', url, name: 'm/data' },
    ],
    'two files cannot have the names "m" and "m/data"',
  ],
])('%j is refused', (files, problem) => expect(problemOf(...files)).toBe(problem))

test.each([
  '../m',
  '/etc/m',
  'a\\b',
  'a/./b',
  '.hidden',
  'a/.b',
  'lock.json',
  'LOCK.JSON',
  'm.gguf.part',
  'm\u0000',
  'x'.repeat(300),
])('the name %j is refused', (name) => expect(problemOf({ role: 'm', url, name })).toContain('cannot have the name '))

test('a model that may not be sold has no prices but 0', () => {
  const priced = (price: number, noncommercial = true) => ({
    ...{ id: 'org/model', type: 'tts', engine: 'fake', noncommercial },
    pricing: { price, unit: '1M_characters' },
  })
  expect(() => parseManifest('x', priced(1))).toThrow('the licence forbids to take money for this model')
  expect(parseManifest('x', priced(0)).pricing).toMatchObject({ priceNanoUsd: 0 })
  expect(parseManifest('x', priced(1, false)).pricing).toMatchObject({ priceNanoUsd: 1_000_000_000 })
})

test('licences say where they stand and what they ask', () => {
  const manifest = parseManifest('x', {
    id: 'org/model',
    type: 'tts',
    engine: 'fake',
    license: 'LicenseRef-Gemma',
    license_url: 'https://example.com/terms',
    accept_license: true,
    noncommercial: true,
  })
  expect(manifest).toMatchObject({
    license: 'LicenseRef-Gemma',
    licenseUrl: 'https://example.com/terms',
    acceptLicense: true,
    noncommercial: true,
  })
})

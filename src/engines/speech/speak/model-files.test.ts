import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ModelFile } from '../../../core/model.ts'
import { testManifest } from '../../../testing/test-manifest.ts'
import { filesByRole, requiredFile } from './model-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-speak-'))
afterAll(() => rmSync(folder, { recursive: true }))

function write(...names: string[]): void {
  for (const name of names) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), '')
  }
}

function model(files: readonly ModelFile[], filePaths: Readonly<Record<string, string>>) {
  return { manifest: testManifest({ files }), filePaths }
}

test('of files that share a role, all are found beside the first', () => {
  write('one/model.onnx', 'one/lexicon-a.txt', 'one/sub/lexicon-b.txt')
  const files = [
    { role: 'model', name: 'model.onnx' },
    { role: 'lexicon', name: 'lexicon-a.txt' },
    { role: 'lexicon', name: 'sub/lexicon-b.txt' },
  ]
  const found = filesByRole(
    model(files, { model: join(folder, 'one/model.onnx'), lexicon: join(folder, 'one/lexicon-a.txt') }),
  )
  expect(found).toEqual({
    model: [join(folder, 'one/model.onnx')],
    lexicon: [join(folder, 'one/lexicon-a.txt'), join(folder, 'one/sub/lexicon-b.txt')],
  })
})

test('the data of espeak-ng is a folder, whichever of its files the manifest names', () => {
  const data = join(folder, 'two/espeak-ng-data')
  write('two/model.onnx', 'two/espeak-ng-data/phontab', 'two/espeak-ng-data/lang/aa')
  const files = [{ role: 'model', name: 'model.onnx' }]
  for (const path of [data, join(data, 'phontab'), join(data, 'lang/aa')]) {
    const withData = [...files, { role: 'data', name: path.slice(join(folder, 'two').length + 1) }]
    const paths = { model: join(folder, 'two/model.onnx'), data: path }
    expect(filesByRole(model(withData, paths)).data).toEqual([data])
  }
})

test('an archive is read by the names of its files, also when they lie in a folder of their own', () => {
  const names = [
    'model.int8.onnx',
    'voices.bin',
    'tokens.txt',
    'lexicon-us-en.txt',
    'lexicon-zh.txt',
    'date-zh.fst',
    'README.md',
  ]
  for (const top of ['three', 'four/kokoro']) {
    write(...names.map((name) => `${top}/${name}`), `${top}/espeak-ng-data/phontab`)
    const found = filesByRole(
      model([{ role: 'model', name: top, unpack: true }], { model: join(folder, top.split('/')[0] ?? '') }),
    )
    const at = (...wanted: string[]) => wanted.map((name) => join(folder, top, name))
    expect(found).toEqual({
      model: at('model.int8.onnx'),
      vocoder: [],
      voices: at('voices.bin'),
      tokens: at('tokens.txt'),
      lexicon: at('lexicon-us-en.txt', 'lexicon-zh.txt'),
      rule: at('date-zh.fst'),
      data: at('espeak-ng-data'),
    })
  }
})

test('a file that is missing makes the model a bad one', () => {
  expect(() => requiredFile({ model: [] }, 'model')).toThrow(expect.objectContaining({ code: 'bad-model' }))
})

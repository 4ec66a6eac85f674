import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runtimePaths } from '../../runtime/runtime-paths.ts'
import type { FilesByRole } from './model-files.ts'
import { synthesizerKinds } from './synthesizer-kinds.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-kinds-'))
afterAll(() => rmSync(folder, { recursive: true }))

const file = join(folder, 'file')
const data = join(folder, 'espeak-ng-data')
mkdirSync(data)
for (const path of [file, ...['phontab', 'phonindex', 'phondata', 'intonations'].map((name) => join(data, name))]) {
  writeFileSync(path, '')
}

const roles: Readonly<Record<keyof typeof synthesizerKinds, readonly string[]>> = {
  vits: ['model', 'tokens', 'data', 'rule'],
  kokoro: ['model', 'voices', 'tokens', 'lexicon', 'data'],
  matcha: ['model', 'tokens', 'lexicon', 'data', 'rule'],
  supertonic: [
    ...['duration-predictor', 'text-encoder', 'vector-estimator', 'vocoder'],
    ...['config', 'unicode-indexer', 'voices'],
  ],
}

/** All files except one. */
function filesWithout(role: string): FilesByRole {
  const all = [...new Set([...Object.values(roles).flat(), 'vocoder', role])]
  const pathOf = (each: string) => (each === role ? join(folder, `no-${role}`) : each === 'data' ? data : file)
  return Object.fromEntries(
    all.filter((each) => each !== 'rule' || role === 'rule').map((each) => [each, [pathOf(each)]]),
  )
}

const program = `
  const [addon, ...configs] = process.argv.slice(1)
  const module = { exports: {} }
  process.dlopen(module, addon)
  for (const config of configs) await module.exports.createOfflineTtsAsync(JSON.parse(config)).catch(() => undefined)
`

test('sherpa-onnx looks for every file that a kind has', async () => {
  const cases = Object.entries(roles).flatMap(([kind, needed]) => needed.map((role) => ({ kind, role })))
  const configs = cases.map(({ kind, role }) => {
    const { model, ruleFsts } = synthesizerKinds[kind as keyof typeof roles](filesWithout(role))
    return JSON.stringify({ model, ruleFsts })
  })
  const { sherpaOnnx } = await runtimePaths('')
  // The library reports missing files on its error output. A full pipe could lose a part of it.
  const errors = Bun.file(join(folder, 'errors'))
  await Bun.spawn([process.execPath, '-e', program, sherpaOnnx, ...configs], { stderr: errors }).exited
  const said = await errors.text()
  for (const { role } of cases) expect(said).toContain(join(folder, `no-${role}`))
  expect(said.match(/does not exist/g)).toHaveLength(cases.length)
})

test('models with espeak-ng, and those that learned it, read numbers themselves', () => {
  const needsWords = (kind: keyof typeof synthesizerKinds, without: string) => {
    const files = Object.fromEntries(Object.entries(filesWithout('')).filter(([role]) => role !== without))
    return synthesizerKinds[kind](files).needsWords
  }
  expect((['vits', 'matcha'] as const).map((kind) => [needsWords(kind, ''), needsWords(kind, 'data')])).toEqual([
    [false, true],
    [false, true],
  ])
  expect([needsWords('kokoro', ''), needsWords('supertonic', '')]).toEqual([false, false])
})

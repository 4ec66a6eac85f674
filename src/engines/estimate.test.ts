import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { InstalledModel } from '../core/model.ts'
import { testEngineSettings } from '../testing/engine-settings.ts'
import { testManifest } from '../testing/test-manifest.ts'
import { estimatePlacements } from './estimate.ts'
import { runtimePaths } from './runtime-paths.ts'
import { engineSpawn } from './spawn-engine.ts'

const root = join(import.meta.dir, '..', '..')
const gigabyte = 1e9

function placementsOf(model: InstalledModel, signal = new AbortController().signal) {
  return estimatePlacements(
    model,
    {
      spawn: engineSpawn({ command: [process.execPath, join(root, 'src/main.ts')], environment: {} }),
      settings: testEngineSettings,
      runtime: () => runtimePaths(''),
      budgetBytes: { host: 64 * gigabyte },
    },
    signal,
  )
}

test('a model whose engine tells no better needs more than its files', async () => {
  const path = join(root, 'models/starter/starter-chat-q8_0.gguf')
  const model = { manifest: testManifest({ id: 'a/b', engine: 'fake' }), filePaths: { model: path } }
  const [only, ...others] = await placementsOf(model)
  expect(others).toEqual([])
  expect(only?.label).toBe('CPU')
  expect(only?.needBytes.host).toBeGreaterThan(Bun.file(path).size)
})

test('a model whose file is gone is a bad model, and the error names the file', async () => {
  const model = { manifest: testManifest({ id: 'a/b', engine: 'fake' }), filePaths: { model: '/nowhere/model.gguf' } }
  const failure = await placementsOf(model).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'bad-model', message: expect.stringContaining('/nowhere/model.gguf') })
})

import { expect, test } from 'bun:test'
import type { ModelFile, ModelStatus } from '../core/model.ts'
import { testManifest } from '../testing/test-manifest.ts'
import { installedModel } from './resolve-model.ts'

function refusal(status: ModelStatus, files: readonly ModelFile[] = []): unknown {
  try {
    return installedModel({ manifest: testManifest({ files }), status, filePaths: {}, addedAtMs: 0 })
  } catch (error) {
    return error
  }
}

const file = { role: 'model', name: 'm.gguf' }

test('a model that is not on this disk is named with the command that brings it', () => {
  const available = { kind: 'available' } as const
  expect(refusal(available, [{ ...file, url: 'hf://o/r/m.gguf' }])).toMatchObject({
    kind: 'not_found',
    message: expect.stringContaining('Its operator can download it: inferd pull test/fake.'),
  })
  expect(refusal(available, [{ ...file, path: 'm.gguf' }])).toMatchObject({
    message: expect.stringContaining("put its files where 'inferd list --json' shows"),
  })
})

test('a model that is being downloaded is not here yet, and says how far it is', () => {
  expect(refusal({ kind: 'downloading', doneBytes: 45, totalBytes: 100 })).toMatchObject({
    kind: 'not_found',
    code: 'model_not_found',
    message: "Model 'test/fake' is being downloaded to this server (45 %). Ask again when it is complete.",
  })
})

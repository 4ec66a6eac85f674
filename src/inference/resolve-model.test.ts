import { expect, test } from 'bun:test'
import type { ModelFile } from '../core/model.ts'
import type { FilesState } from '../core/model-state.ts'
import { testManifest } from '../testing/test-manifest.ts'
import { findModelBySpelling, installedModel } from './resolve-model.ts'

function refusal(status: FilesState, files: readonly ModelFile[] = []): unknown {
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
    message: expect.stringContaining("Its operator can download it: 'inferd pull test/fake'."),
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

test('of two models that differ in case, each is found as it is spelled', () => {
  const entries = ['org/Name', 'org/name', 'org/name:Latest'].map((id) => ({
    manifest: testManifest({ id }),
    status: { kind: 'available' } as const,
    filePaths: {},
    addedAtMs: 0,
  }))
  const catalog = {
    entries: () => entries,
    resolve(requestedId: string) {
      const entry = entries.find(({ manifest }) => manifest.id === requestedId)
      return entry && { requestedId, alias: undefined, entry }
    },
  }
  const found = (name: string) => findModelBySpelling(catalog, name).entry.manifest.id
  expect(found('org/name')).toBe('org/name')
  expect(found('org/name:latest')).toBe('org/name')
  expect(found('org/name:Latest')).toBe('org/name:Latest')
  expect(found('org/Name:latest')).toBe('org/Name')
  expect(found('ORG/NAME')).toBe('org/Name')
  expect(() => found('org/other')).toThrow("There is no model 'org/other'")
})

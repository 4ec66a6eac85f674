import { expect, test } from 'bun:test'
import type { CatalogEntry } from '../catalog/catalog.ts'
import type { ModelStatus } from '../core/model.ts'
import { testManifest } from '../testing/test-manifest.ts'
import { listedModels } from './listed-models.ts'
import type { HttpServices } from './services.ts'

function entry(id: string, status: ModelStatus): CatalogEntry {
  const manifest = testManifest({ id })
  return { manifest, status, filePaths: {}, addedAtMs: 0 }
}

function list(entries: CatalogEntry[], failedLoads: Readonly<Record<string, string>>) {
  const services = {
    catalog: { entries: () => entries },
    pool: { status: () => Object.entries(failedLoads).map(([modelId, failedLoad]) => ({ modelId, failedLoad })) },
  } as unknown as HttpServices // the rest is not asked for
  return listedModels(services).map(({ manifest, status }) => [manifest.id, status.kind])
}

test('a model whose file looked right and did not load is broken, and comes after those that are ready', () => {
  const entries = [
    entry('a/bad', { kind: 'ready' }),
    entry('b/good', { kind: 'ready' }),
    entry('c/absent', { kind: 'available' }),
  ]
  expect(list(entries, {})).toEqual([
    ['a/bad', 'ready'],
    ['b/good', 'ready'],
    ['c/absent', 'available'],
  ])
  expect(list(entries, { 'a/bad': '/secret/path is damaged', 'c/absent': 'x' })).toEqual([
    ['b/good', 'ready'],
    ['a/bad', 'broken'],
    ['c/absent', 'available'],
  ])
})

import type { CatalogEntry, ResolvedModel } from '../catalog/catalog.ts'
import type { ModelManifest } from '../core/model.ts'
import { testManifest } from './test-manifest.ts'

/** The model `a/b` as a request finds it in the catalog, ready, of which a test says only what matters to it. */
export function resolvedModel(
  manifest: Partial<ModelManifest> = {},
  entry: Partial<CatalogEntry> = {},
  alias?: ResolvedModel['alias'],
): ResolvedModel {
  return {
    requestedId: alias?.id ?? 'a/b',
    alias,
    entry: {
      manifest: testManifest({ id: 'a/b', ...manifest }),
      status: { kind: 'ready' },
      filePaths: { model: '/models/b.gguf' },
      addedAtMs: 0,
      ...entry,
    },
  }
}

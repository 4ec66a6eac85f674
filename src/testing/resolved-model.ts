import type { CatalogEntry, ResolvedModel } from '../catalog/catalog.ts'
import type { ModelManifest } from '../core/model.ts'
import { testManifest } from './test-manifest.ts'

/** Returns model `a/b` as the catalog resolves it, ready, with the parts that matter to a test. */
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

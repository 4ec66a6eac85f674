import type { CatalogEntry } from '../catalog/catalog.ts'
import type { HttpServices } from './services.ts'

/** What the catalog holds, with what the engines have found out about it: a file can look right and not load. */
export function listedModels({ catalog, pool }: HttpServices): CatalogEntry[] {
  const failed = new Set(pool.status().flatMap((engine) => (engine.failedLoad === undefined ? [] : engine.modelId)))
  const entries = catalog.entries().map((entry) => (failed.has(entry.manifest.id) ? asBroken(entry) : entry))
  // The catalog's own order is ready ones first.
  const isReady = ({ status }: CatalogEntry) => status.kind === 'ready'
  return [...entries.filter(isReady), ...entries.filter((entry) => !isReady(entry))]
}

/** The reason itself names files: it is for the operator. */
function asBroken(entry: CatalogEntry): CatalogEntry {
  return entry.status.kind === 'ready'
    ? { ...entry, status: { kind: 'broken', reason: "its engine could not load it; 'inferd ps' tells why" } }
    : entry
}

import type { Catalog, CatalogEntry } from '../catalog/catalog.ts'
import { suggestion } from '../core/nearest.ts'
import { engineProblem } from '../engines/engine-table.ts'
import { CommandError } from './io.ts'

/**
 * Returns the model with a typed id. Throws CommandError for an alias too: several may mean one model.
 */
export function findModel(catalog: Catalog, id: string): CatalogEntry {
  const found = catalog.resolve(id)
  if (found === undefined) {
    const ids = catalog.entries().map(({ manifest }) => manifest.id)
    throw new CommandError(`there is no model ${id}${suggestion(id, ids)}; 'inferd list' shows all`)
  }
  if (found.alias !== undefined) throw new CommandError(`${id} is an alias; name the model: ${found.entry.manifest.id}`)
  return found.entry
}

/** Throws CommandError if the server, which makes the same checks, could not serve a new model. */
export function requireReady(catalog: Catalog, id: string, verb: 'imported' | 'installed'): void {
  const status = catalog.resolve(id)?.entry.status
  const engine = catalog.resolve(id)?.entry.manifest.engine
  if (status?.kind === 'ready' || (engine !== undefined && engineProblem(engine) !== undefined)) return
  const reason = status?.kind === 'broken' ? status.reason : 'its manifest or its file is gone'
  throw new CommandError(`${id} was ${verb} but cannot be served: ${reason}; 'inferd list' shows more`)
}

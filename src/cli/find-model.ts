import type { Catalog, CatalogEntry } from '../catalog/catalog.ts'
import { suggestion } from '../core/nearest.ts'
import { CommandError } from './io.ts'

/** The model of an id that an operator typed. Throws CommandError for an alias, too: several may mean one model. */
export function findModel(catalog: Catalog, id: string): CatalogEntry {
  const found = catalog.resolve(id)
  if (found === undefined) {
    const ids = catalog.entries().map(({ manifest }) => manifest.id)
    throw new CommandError(`there is no model ${id}${suggestion(id, ids)}; 'inferd list' shows all`)
  }
  if (found.alias !== undefined) throw new CommandError(`${id} is an alias; name the model: ${found.entry.manifest.id}`)
  return found.entry
}

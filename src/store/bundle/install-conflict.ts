import { relative } from 'node:path'
import type { Catalog } from '../../catalog/catalog.ts'
import { modelFolder } from '../../catalog/locate-files.ts'
import { importedManifestPath } from '../../catalog/operator-manifests.ts'
import { namesOf } from './check-manifest.ts'
import type { BundledModel, BundleManifest } from './manifest.ts'

/** Returns a test of whether the catalog already describes a bundled model with the bundle's file names. */
export function isDescribedBy(catalog: Catalog, dataDir: string): (model: BundledModel) => boolean {
  return ({ id, files }) => {
    const found = catalog.resolve(id)
    if (found === undefined || found.entry.manifest.id !== id) return false
    const names = Object.values(found.entry.filePaths).map((path) => relative(modelFolder(dataDir, id), path))
    return names.every((name) => files.some((file) => file.name === name || file.name.startsWith(`${name}/`)))
  }
}

/**
 * Returns why the manifest of a bundled model would have no effect on this box, and the remedy; undefined if all
 * manifests take effect.
 */
export function installConflict({ models }: BundleManifest, catalog: Catalog, dataDir: string): string | undefined {
  const isDescribed = isDescribedBy(catalog, dataDir)
  for (const model of models) {
    if (isDescribed(model)) continue
    const { id } = model
    const own = catalog.operatorManifest(id)
    if (own !== undefined && own !== importedManifestPath(dataDir, id)) {
      return `${own} describes ${id} with other files; remove it, or give the model another id there`
    }
    const taken = namesOf(model).find((name) => catalog.isTaken(name, id))
    if (taken !== undefined) {
      return `"${taken}", a name of ${id}, already names another model of this box; remove it from that one first`
    }
  }
  return undefined
}

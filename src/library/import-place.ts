/** Decision whether an import may take an id. Pure but for the catalog, which reads its folder. */
import type { Catalog } from '../catalog/catalog.ts'
import { importedManifestPath } from '../catalog/operator-manifests.ts'
import type { ModelManifest } from '../core/model.ts'

interface WantedPlace {
  readonly dataDir: string
  readonly id: string
  readonly aliases: readonly string[]
  readonly isForced: boolean
}

/** `known`: the catalog's model of the id, whose prices and other fields an import keeps. */
export type ImportPlace =
  | { readonly kind: 'free'; readonly known: ModelManifest | undefined }
  | { readonly kind: 'taken'; readonly reason: string }

export function importPlace(catalog: Catalog, { dataDir, id, aliases, isForced }: WantedPlace): ImportPlace {
  const taken = (reason: string): ImportPlace => ({ kind: 'taken', reason })
  const alias = aliases.find((each) => catalog.isTaken(each, id))
  if (alias !== undefined) return taken(`"${alias}" already names another model; choose another alias`)
  const found = catalog.resolve(id)
  if (found === undefined) return { kind: 'free', known: undefined }
  const { manifest, status } = found.entry
  if (found.alias !== undefined) return taken(`"${id}" is an alias of ${manifest.id}; choose another id`)
  const described = catalog.operatorManifest(id)
  // If two manifests have the same id, the catalog takes the first by name. An import must not decide that.
  if (described !== undefined && described !== importedManifestPath(dataDir, id))
    return taken(`${described} describes ${id}; name the file there, or remove it, or choose another id`)
  // A model of the catalog whose files are missing accepts this file as its own.
  if (status.kind !== 'available' && status.kind !== 'downloading' && !isForced)
    return taken(`there is a model ${id} already; choose another id, or --force to take its place`)
  return { kind: 'free', known: manifest }
}

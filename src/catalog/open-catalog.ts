import { shippedAtMs, shippedManifests } from '../../models/index.ts'

export { shippedLicenses } from '../../models/index.ts'

import { embeddedFilePath } from '../engines/runtime/runtime-paths.ts'
import { Catalog, type CatalogOptions } from './catalog.ts'

/** Opens the catalog of a data folder with the shipped models and the operator's own. */
export function openCatalog(
  dataDir: string,
  options: Pick<CatalogOptions, 'overrides' | 'manifestsFolder' | 'onProblem'> = {},
): Catalog {
  return new Catalog({
    ...options,
    shipped: shippedManifests,
    shippedAtMs,
    dataDir,
    shippedFile: (path) => embeddedFilePath(dataDir, path),
  })
}

import type { CatalogEntry } from '../catalog/catalog.ts'
import { ApiError } from '../core/errors.ts'
import type { InstalledModel } from '../core/model.ts'
import { unreachable } from '../core/unreachable.ts'
import { engineTable } from '../engines/engine-table.ts'

/**
 * What an engine loads. Throws ApiError saying what the operator can do: 404 when the files are not on this disk, which
 * clients do not repeat for minutes as they do a 503, and 503 when they are not usable.
 */
export function installedModel({ manifest, status, filePaths, filesVersion }: CatalogEntry): InstalledModel {
  switch (status.kind) {
    case 'ready':
      return { manifest, filePaths, filesVersion }
    case 'available':
      throw new ApiError(
        'not_found',
        `Model '${manifest.id}' is in the catalog but not on this server. Its operator can ${engineTable[manifest.engine].howToInstall(manifest.id)}.`,
        { code: 'model_not_found', param: 'model' },
      )
    case 'broken':
      throw new ApiError('unavailable', `Model '${manifest.id}' cannot be served: ${status.reason}.`, {
        code: 'model_unavailable',
        param: 'model',
      })
    default:
      return unreachable(status)
  }
}

import type { CatalogEntry } from '../catalog/catalog.ts'
import { ApiError } from '../core/errors.ts'
import type { InstalledModel } from '../core/model.ts'
import { unreachable } from '../core/unreachable.ts'

/** What an engine loads. Throws ApiError 503 saying what the operator can do when the files are not usable. */
export function installedModel({ manifest, status, filePaths }: CatalogEntry): InstalledModel {
  switch (status.kind) {
    case 'ready':
      return { manifest, filePaths }
    case 'available':
      throw new ApiError(
        'unavailable',
        `Model '${manifest.id}' is in the catalog but its files are not on this server. Its operator can add them with 'inferd import'.`,
        { code: 'model_not_installed', param: 'model' },
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

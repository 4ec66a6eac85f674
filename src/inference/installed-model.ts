import type { CatalogEntry } from '../catalog/catalog.ts'
import { ApiError } from '../core/errors.ts'
import type { InstalledModel, ModelManifest } from '../core/model.ts'
import { unreachable } from '../core/unreachable.ts'

/**
 * What an engine loads. Throws ApiError saying what the operator can do: 404 when the files are not on this disk, which
 * clients do not repeat for minutes as they do a 503, and 503 when they are not usable.
 */
export function installedModel({ manifest, status, filePaths }: CatalogEntry): InstalledModel {
  switch (status.kind) {
    case 'ready':
      return { manifest, filePaths }
    case 'available':
      throw new ApiError(
        'not_found',
        `Model '${manifest.id}' is in the catalog but not on this server. Its operator can ${howToInstall(manifest)}.`,
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

function howToInstall({ id, engine }: ModelManifest): string {
  return engine === 'llama'
    ? `install it: inferd import FILE.gguf --id ${id}`
    : "put its files where 'inferd list --json' shows that they are missing"
}

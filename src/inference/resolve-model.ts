/** Finds the model that a request names, as an engine loads it. */
import type { CatalogEntry, ResolvedModel } from '../catalog/catalog.ts'
import { ApiError } from '../core/errors.ts'
import type { InstalledModel, ModelManifest, ModelType } from '../core/model.ts'

/** The part of the catalog that finds a model by canonical id or alias. */
export interface ModelLookup {
  resolve(id: string): ResolvedModel | undefined
}

/**
 * Returns the model of a name as clients of other servers spell it: in any case, and with the tag `:latest`. Exact
 * names come first. Throws ApiError 404.
 */
export function findModelBySpelling(catalog: ModelLookup & ModelNames, name: string): ResolvedModel {
  const untagged = name.replace(/:latest$/i, '')
  const exact = catalog.resolve(name) ?? catalog.resolve(untagged)
  if (exact !== undefined) return exact
  const wanted = untagged.toLowerCase()
  const ids = catalog.entries().flatMap(({ manifest }) => [manifest.id, ...manifest.aliases.map(({ id }) => id)])
  const id = ids.find((candidate) => candidate.toLowerCase() === wanted)
  return findModel(catalog, id ?? name)
}

interface ModelNames {
  entries(): readonly Pick<CatalogEntry, 'manifest'>[]
}

/** Returns the only installed model of these types. Throws ApiError 400 if there are several or none. */
export function findOnlyModel(
  catalog: ModelLookup & { entries(): readonly CatalogEntry[] },
  types: readonly ModelType[],
): ResolvedModel {
  const here = catalog
    .entries()
    .filter(({ manifest, status }) => types.includes(manifest.type) && status.kind === 'ready')
  const [only] = here
  const resolved = here.length === 1 && only !== undefined ? catalog.resolve(only.manifest.id) : undefined
  if (resolved !== undefined) return resolved
  const message = `'model' is missing, and this server has ${here.length} models for this request. Name one: GET /models lists them.`
  throw new ApiError('invalid_request', message, { code: 'missing_required_parameter', param: 'model' })
}

const longestEchoedId = 100

/** Returns the model of an id or alias. Throws ApiError 404 `model_not_found`. */
export function findModel(catalog: ModelLookup, id: string): ResolvedModel {
  const resolved = catalog.resolve(id)
  if (resolved !== undefined) return resolved
  const modelId = (id.length > longestEchoedId ? `${id.slice(0, longestEchoedId)}…` : id).toWellFormed()
  throw new ApiError('not_found', `There is no model '${modelId}'. GET /models lists the ids.`, {
    code: 'model_not_found',
    param: 'model',
    modelId,
  })
}

/** Throws ApiError 400 `model_type_mismatch` unless the model is of one of the types that this endpoint serves. */
export function requireType(resolved: ResolvedModel, types: readonly ModelType[], endpoint: string): void {
  const { id, type } = resolved.entry.manifest
  if (types.includes(type)) return
  const message = `Model '${id}' is of type '${type}'; ${endpoint} needs one of type ${types.join(' or ')}.`
  throw new ApiError('invalid_request', message, { code: 'model_type_mismatch', param: 'model' })
}

/**
 * Returns the model as an engine loads it. Throws ApiError with the operator's next step: 404 if the files are not on
 * this disk, because clients would repeat a 503 for minutes, and 503 if they are unusable.
 */
export function installedModel({
  manifest,
  status,
  filePaths,
  gpuFilePaths,
  filesVersion,
}: CatalogEntry): InstalledModel {
  switch (status.kind) {
    case 'ready':
      return { manifest, filePaths, ...(gpuFilePaths && { gpuFilePaths }), filesVersion }
    case 'available':
      throw new ApiError(
        'not_found',
        `Model '${manifest.id}' is in the catalog but not on this server. Its operator can ${howToInstall(manifest)}.`,
        { code: 'model_not_found', param: 'model' },
      )
    case 'downloading': {
      const percent = Math.floor((100 * status.doneBytes) / Math.max(status.totalBytes, 1))
      const message = `Model '${manifest.id}' is being downloaded to this server (${percent} %). Ask again when it is complete.`
      throw new ApiError('not_found', message, { code: 'model_not_found', param: 'model' })
    }
    case 'broken':
      throw new ApiError('unavailable', `Model '${manifest.id}' cannot be served: ${status.reason}.`, {
        code: 'model_unavailable',
        param: 'model',
      })
  }
}

/** Returns the operator's next step for a model whose files are missing. Completes "Its operator can …". */
function howToInstall({ id, files }: ModelManifest): string {
  if (files.every(({ url }) => url !== undefined)) return `download it: 'inferd pull ${id}'`
  return "put its files where 'inferd list --json' shows that they are missing"
}

import type { CatalogEntry } from '../../catalog/catalog.ts'
import { findModel } from '../../inference/resolve-model.ts'
import { parseModelType, toAliasRow, toModelList, toModelRow } from '../../wire/models.ts'
import { modelDocsUrl } from '../page-urls.ts'
import type { Exchange, HttpServices } from '../services.ts'

/** GET /models; `?type=` keeps one type of model. */
export function listModels({ url, services, baseUrl }: Exchange): Response {
  const type = parseModelType(url.searchParams.get('type') ?? undefined)
  const models = listedModels(services)
  const isHere = ({ status }: CatalogEntry) => status.kind !== 'available' && status.kind !== 'downloading'
  const shown = services.config.listsOnlyInstalled ? models.filter(isHere) : models
  return Response.json(toModelList(shown, { docsUrl: modelDocsUrl(baseUrl), type }))
}

/** GET /models/{id}. The slash in the id may be encoded as %2F. */
export function retrieveModel({ url, services, baseUrl }: Exchange): Response {
  const { entry: found, alias } = findModel(services.catalog, modelIdOf(url.pathname))
  const entry = listedModels(services).find(({ manifest }) => manifest.id === found.manifest.id) ?? found
  const options = { docsUrl: modelDocsUrl(baseUrl) }
  return Response.json(alias === undefined ? toModelRow(entry, options) : toAliasRow(entry, alias, options))
}

function modelIdOf(pathname: string): string {
  const id = pathname.slice(pathname.indexOf('/models/') + '/models/'.length).replace(/\/$/, '')
  try {
    return decodeURIComponent(id)
  } catch {
    return id // percent signs that do not encode UTF-8: no model is called so
  }
}

/** The catalog's models, those that are ready first. A model whose engine could not load its file is broken. */
export function listedModels({ catalog, pool }: HttpServices): CatalogEntry[] {
  const failed = new Set(pool.status().flatMap((engine) => (engine.failedLoad === undefined ? [] : engine.modelId)))
  const entries = catalog.entries().map((entry) => (failed.has(entry.manifest.id) ? asBroken(entry) : entry))
  const isReady = ({ status }: CatalogEntry) => status.kind === 'ready'
  return [...entries.filter(isReady), ...entries.filter((entry) => !isReady(entry))]
}

/** The engine's own reason names files and is for the operator alone. */
function asBroken(entry: CatalogEntry): CatalogEntry {
  return entry.status.kind === 'ready'
    ? { ...entry, status: { kind: 'broken', reason: "its engine could not load it; 'inferd ps' tells why" } }
    : entry
}

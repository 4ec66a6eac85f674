import type { CatalogEntry } from '../../catalog/catalog.ts'
import { findModel } from '../../inference/resolve-model.ts'
import { type ListedModel, parseModelType, toAliasRow, toModelList, toModelRow } from '../../wire/models.ts'
import { modelDocsUrl } from '../page-urls.ts'
import type { Exchange, HttpServices } from '../services.ts'

/** GET /models; `?type=` keeps one type of model. */
export function listModels({ url, services, baseUrl }: Exchange): Response {
  const type = parseModelType(url.searchParams.get('type') ?? undefined)
  const models = listedModels(services)
  const isHere = ({ status }: Listed) => status.kind !== 'available' && status.kind !== 'downloading'
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

/** A model of the catalog with what its engine adds to its status. */
type Listed = Omit<CatalogEntry, 'status'> & { readonly status: ListedModel['status'] }

/** The catalog's models, those that can be served first. A model whose engine could not load its file is broken. */
export function listedModels({ catalog, pool }: HttpServices): Listed[] {
  const engines = new Map(pool.status().map((engine) => [engine.modelId, engine]))
  const entries = catalog.entries().map((entry) => withEngine(entry, engines.get(entry.manifest.id)))
  const isReady = ({ status }: Listed) => status.kind === 'ready' || status.kind === 'loading'
  return [...entries.filter(isReady), ...entries.filter((entry) => !isReady(entry))]
}

/** The engine's own reason names files and is for the operator alone. */
function withEngine(entry: CatalogEntry, engine: EngineOfModel | undefined): Listed {
  if (engine === undefined || entry.status.kind !== 'ready') return entry
  if (engine.state === 'estimating' || engine.state === 'starting') return { ...entry, status: { kind: 'loading' } }
  // A model for which there is no room now is not broken.
  return engine.failedLoad === undefined || engine.failedLoadCode === 'out-of-memory'
    ? entry
    : { ...entry, status: { kind: 'broken', reason: "its engine could not load it; 'inferd ps' tells why" } }
}

type EngineOfModel = ReturnType<HttpServices['pool']['status']>[number]

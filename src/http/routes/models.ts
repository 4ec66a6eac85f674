import { findModel } from '../../inference/resolve-model.ts'
import { parseModelType, toAliasRow, toModelList, toModelRow } from '../../wire/models.ts'
import { listedModels } from '../listed-models.ts'
import type { Exchange } from '../services.ts'
import { modelDocsUrl } from './docs.ts'

/** GET /models, for everyone; `?type=` keeps one type of model. */
export function listModels({ url, services, baseUrl }: Exchange): Response {
  const type = parseModelType(url.searchParams.get('type') ?? undefined)
  const models = listedModels(services)
  const shown = services.config.listsOnlyInstalled ? models.filter(({ status }) => status.kind !== 'available') : models
  return Response.json(toModelList(shown, { docsUrl: modelDocsUrl(baseUrl), type }))
}

/** GET /models/{id}, for everyone. The id's slash may come raw or as %2F. */
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

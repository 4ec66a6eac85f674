import type { BoundBy } from '../../billing/request-rates.ts'
import type { CatalogEntry } from '../../catalog/catalog.ts'
import type { ModelState } from '../../core/model-state.ts'
import { findModelBySpelling } from '../../inference/resolve-model.ts'
import { parsePageQuery, toMessagesModel, toModelsPage } from '../../wire/messages/models-page.ts'
import {
  parseModelType,
  type ServedModel,
  toAliasObject,
  toModelList,
  toModelObject,
  toServedState,
} from '../../wire/models.ts'
import { keyHeaders, keyHolder, sendsKey } from '../authenticate.ts'
import { refuse } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { findKeyless } from '../keyless.ts'
import { allowsModel, boundsOf, requireModel } from '../limits.ts'
import { hint } from '../own-commands.ts'
import { modelDocsUrl } from '../page-urls.ts'
import type { AccountCaller } from '../perform.ts'
import type { HttpServices } from '../services.ts'
import { inSpokenDialect, speaksMessages } from '../spoken-dialect.ts'

/** Request for the list, or for one of its models */
type Listing = Exchange<'catalog' | 'pool' | 'config' | 'ui' | 'stores'>

/**
 * Serves GET /models; `?type=` keeps one type of model. Clients of the messages dialect get it in pages. Holders of a
 * key, accounts that are signed in, and programs that need no key get the models that their limits allow.
 */
export function listModels(exchange: Listing, caller: unknown): Response {
  const bounds = boundsOfCaller(exchange, caller)
  if (!speaksMessages(exchange)) return Response.json(allModels(exchange, bounds))
  return inMessages(exchange, () => {
    const query = parsePageQuery(exchange.url.searchParams)
    return toModelsPage(allModels(exchange, bounds).data, query)
  })
}

/** Returns the limits of the account that is signed in, of the request's key, or of use without one. */
function boundsOfCaller(exchange: Listing, caller: unknown): readonly BoundBy[] {
  const { request, dialect, services } = exchange
  const { stores } = services
  if (!stores.limits.isAnySet()) return []
  if (isAccount(caller)) return boundsOf(stores, caller)
  const accepted = keyHeaders(speaksMessages(exchange) ? 'messages' : dialect)
  const holder = sendsKey(request.headers, accepted)
    ? keyHolder(request.headers, stores.keys, accepted)
    : findKeyless(exchange)
  return holder === undefined ? [] : boundsOf(stores, holder)
}

function isAccount(caller: unknown): caller is Pick<AccountCaller, 'accountId'> {
  return typeof caller === 'object' && caller !== null && 'accountId' in caller
}

function allModels(exchange: Listing, bounds: readonly BoundBy[]) {
  const { url, services, baseUrl } = exchange
  const type = parseModelType(url.searchParams.get('type') ?? undefined)
  const models = listedModels(services).filter(({ manifest }) => allowsModel(bounds, manifest.id))
  const isHere = ({ status }: Listed) => status.kind !== 'available' && status.kind !== 'downloading'
  const shown = services.config.listsOnlyInstalled ? models.filter(isHere) : models
  return toModelList(
    shown.map((model) => withHintedReason(exchange, model)),
    { docsUrl: modelDocsUrl(baseUrl), type },
  )
}

/** Serves GET /models/{id}. The slash in the id may be encoded as %2F. */
export function retrieveModel(exchange: Listing, caller: unknown): Response {
  const bounds = boundsOfCaller(exchange, caller)
  if (!speaksMessages(exchange)) return Response.json(oneModel(exchange, bounds))
  return inMessages(exchange, () => toMessagesModel(oneModel(exchange, bounds)))
}

function oneModel(exchange: Listing, bounds: readonly BoundBy[]) {
  const { url, services, baseUrl } = exchange
  const { entry: found, alias } = findModelBySpelling(services.catalog, modelIdOf(url.pathname))
  requireModel(bounds, found.manifest.id)
  const listed = listedModels(services).find(({ manifest }) => manifest.id === found.manifest.id) ?? found
  const entry = withHintedReason(exchange, listed)
  const options = { docsUrl: modelDocsUrl(baseUrl) }
  return alias === undefined ? toModelObject(entry, options) : toAliasObject(entry, alias, options)
}

function inMessages(exchange: Listing, answer: () => object): Response {
  try {
    return Response.json(answer())
  } catch (error) {
    return refuse(inSpokenDialect(exchange), error)
  }
}

function modelIdOf(pathname: string): string {
  const id = pathname.slice(pathname.indexOf('/models/') + '/models/'.length).replace(/\/$/, '')
  try {
    return decodeURIComponent(id)
  } catch {
    return id // percent signs that do not encode UTF-8 are in no model's id
  }
}

/** A model of the catalog as clients see it. */
type Listed = Omit<CatalogEntry, 'status'> & Pick<ServedModel, 'status' | 'usableContext'>

/**
 * Returns the catalog's models, those that can be served first. A model whose engine could not load its file is broken.
 */
export function listedModels({ catalog, pool }: Pick<HttpServices, 'catalog' | 'pool'>): Listed[] {
  const states = new Map(pool.status().map((state) => [state.modelId, state]))
  const entries = catalog.entries().map((entry): Listed => {
    const state = states.get(entry.manifest.id)
    const status = toServedState(entry.status, state)
    return { ...entry, status, usableContext: usableContext(pool.contextLimit(entry.manifest), state) }
  })
  const isReady = ({ status }: Listed) => status.kind === 'ready' || status.kind === 'loading'
  return [...entries.filter(isReady), ...entries.filter((entry) => !isReady(entry))]
}

/**
 * Returns the most tokens of a request's prompt and answer: as the loaded engine says, else `limitTokens` of settings
 * and manifest. Undefined if unknown.
 */
export function usableContext(limitTokens: number, state: Pick<ModelState, 'info'> | undefined): number | undefined {
  const { contextTokens = 0, isContextAssumed = false } = state?.info ?? {}
  const tokens = contextTokens > 0 && !isContextAssumed ? Math.min(contextTokens, limitTokens) : limitTokens
  return Number.isFinite(tokens) && tokens > 0 ? tokens : undefined
}

function withHintedReason(exchange: Exchange<'config'>, model: Listed): Listed {
  const { status } = model
  return status.kind === 'broken' ? { ...model, status: { ...status, reason: hint(exchange, status.reason) } } : model
}

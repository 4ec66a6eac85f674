import type { CatalogEntry } from '../catalog/catalog.ts'
import type { EndpointState } from '../core/endpoint-state.ts'
import type { UpstreamServers } from '../core/upstream.ts'
import type { EndpointRegistry } from '../engines/upstream/endpoints/endpoint-registry.ts'
import type { ModelLookup } from './resolve-model.ts'

/** The operator's view of the endpoints of a running server's upstream models. */
export interface EndpointControl {
  /** Endpoints of all models, or of one by its canonical id, in the order of their manifests. */
  list(modelId?: string): readonly EndpointState[]
  /** Asks the servers behind loaded models whether they run and have the model. Takes two seconds at most. */
  ask(): Promise<void>
  /**
   * Returns the URL in the manifest of the endpoint with this URL, or this host and port; undefined if the model has
   * no such endpoint.
   */
  find(modelId: string, name: string): string | undefined
  /** Sets whether an endpoint gets no further requests. `url` is as in the manifest. */
  setDraining(modelId: string, url: string, isDraining: boolean): void
}

/** Creates the control. `complete` completes the commands in a text so that they reach this server. */
export function endpointControl(
  catalog: ModelLookup & { entries(): readonly Pick<CatalogEntry, 'manifest'>[] },
  registry: EndpointRegistry,
  complete: (text: string) => string,
): EndpointControl {
  const serversOf = (modelId: string): UpstreamServers | undefined => catalog.resolve(modelId)?.entry.manifest.upstream
  return {
    list: (modelId) => {
      const models = catalog.entries().map(({ manifest }) => manifest)
      return models
        .filter(({ id }) => modelId === undefined || id === modelId)
        .flatMap(({ id, upstream }) =>
          upstream === undefined ? [] : registry.status(id, upstream).map((endpoint) => withHints(endpoint, complete)),
        )
    },
    ask: () => registry.ask(),
    find: (modelId, name) => {
      const urls = serversOf(modelId)?.endpoints ?? []
      const exact = urls.find((url) => url === name.replace(/\/+$/, ''))
      const sameHost = urls.filter((url) => new URL(url).host === name)
      return exact ?? (sameHost.length === 1 ? sameHost[0] : undefined)
    },
    setDraining: (modelId, url, isDraining) => {
      const servers = serversOf(modelId)
      if (servers !== undefined) registry.setDraining(modelId, servers, url, isDraining)
    },
  }
}

function withHints(endpoint: EndpointState, complete: (text: string) => string): EndpointState {
  const { lastFailure: failure } = endpoint
  const lastFailure = failure && { ...failure, reason: complete(failure.reason) }
  if (endpoint.outOfUse === undefined) return { ...endpoint, lastFailure }
  return { ...endpoint, lastFailure, outOfUse: complete(endpoint.outOfUse) }
}

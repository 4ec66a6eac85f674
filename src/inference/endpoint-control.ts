import type { CatalogEntry } from '../catalog/catalog.ts'
import type { ModelEndpoint } from '../core/live.ts'
import type { UpstreamServers } from '../core/upstream.ts'
import type { EndpointRegistry } from '../engines/upstream/endpoints/endpoint-registry.ts'
import type { ModelLookup } from './resolve-model.ts'

/** The endpoints of the upstream models of a running server, for its operator. */
export interface EndpointControl {
  /** Endpoints of all models, or of one by its canonical id, in the order of their manifests. */
  list(modelId?: string): readonly ModelEndpoint[]
  /** Asks the servers of loaded models whether they are there and have the model. Takes two seconds at most. */
  ask(): Promise<void>
  /**
   * Returns the endpoint's URL as in the manifest, found by that or by its host and port; undefined if the model has no
   * such endpoint.
   */
  find(modelId: string, name: string): string | undefined
  /** `url`: as the manifest has it. */
  setDraining(modelId: string, url: string, isDraining: boolean): void
}

/** Creates the control. `complete` makes the commands of a text reach this server. */
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
          upstream === undefined
            ? []
            : registry.status(id, upstream).map((status) => ({ model: id, ...withHints(status, complete) })),
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

function withHints(status: Omit<ModelEndpoint, 'model'>, complete: (text: string) => string) {
  const { outOfUse, lastFailure } = status
  return {
    ...status,
    outOfUse: outOfUse === undefined ? undefined : complete(outOfUse),
    lastFailure: lastFailure === undefined ? undefined : { ...lastFailure, reason: complete(lastFailure.reason) },
  }
}

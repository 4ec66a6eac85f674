import type { Clock } from '../../../core/clock.ts'
import type { EndpointState } from '../../../core/endpoint-state.ts'
import type { UpstreamServers } from '../../../core/upstream.ts'
import type { EngineLogLine } from '../../protocol/engine.ts'
import { serverQuestions } from './ask-server.ts'
import { Endpoint } from './endpoint.ts'
import { Endpoints } from './endpoints.ts'

interface EndpointRegistrySetup {
  readonly clock: Clock
  /** Longest wait for a place. */
  readonly waitLimitMs: number
  readonly log: (line: EngineLogLine) => void
}

/** Endpoints of all models during the server's run. Their states, and drains by the operator, outlive loads. */
export class EndpointRegistry {
  readonly #setup: EndpointRegistrySetup
  readonly #known = new Map<string, Map<string, Endpoint>>()
  readonly #open = new Map<string, Set<Endpoints>>()

  constructor(setup: EndpointRegistrySetup) {
    this.#setup = setup
  }

  /**
   * Opens the endpoints for a load of the model; the caller must close them at its end. `key`: API key for its
   * servers.
   */
  open(modelId: string, servers: UpstreamServers, key: string | undefined): Endpoints {
    const open = this.#open.get(modelId) ?? new Set()
    this.#open.set(modelId, open)
    const endpoints = this.#endpoints(modelId, servers.endpoints)
    // Findings made with an earlier key are obsolete.
    for (const endpoint of endpoints) endpoint.outOfUse = undefined
    return new Endpoints({
      ...this.#setup,
      modelId,
      modelThere: servers.model,
      maxConcurrent: servers.maxConcurrent,
      endpoints,
      questions: serverQuestions({ ...servers, key }),
      open,
    })
  }

  /** Records that the model was loaded without a key. `reason` is an independent clause. */
  noteNoKey(modelId: string, { endpoints }: UpstreamServers, reason: string): void {
    for (const endpoint of this.#endpoints(modelId, endpoints)) endpoint.outOfUse = `is not asked, since ${reason}`
  }

  /** Returns the states of the endpoints in the current manifest, in its order. */
  status(modelId: string, { endpoints }: UpstreamServers): readonly EndpointState[] {
    const nowMs = this.#setup.clock.nowMs()
    const known = this.#known.get(modelId)
    return endpoints.map((url) => (known?.get(url) ?? new Endpoint(modelId, url)).status(nowMs))
  }

  /** Asks all servers of loaded models whether they work and serve the model. Takes at most two seconds. */
  async ask(): Promise<void> {
    await Promise.all([...this.#open.values()].flatMap((each) => [...each].map((endpoints) => endpoints.ask())))
  }

  /**
   * Starts or ends the drain of an endpoint, which gets no further requests while running ones continue. `url` must be
   * in the manifest.
   */
  setDraining(modelId: string, { endpoints }: UpstreamServers, url: string, isDraining: boolean): void {
    const endpoint = this.#endpoints(modelId, endpoints).find((each) => each.url === url)
    if (endpoint === undefined) throw new Error(`${modelId} has no endpoint ${url}`)
    endpoint.isDraining = isDraining
    for (const open of this.#open.get(modelId) ?? []) open.serve()
  }

  /** Returns the endpoints. Forgets those that are no longer named; their running requests still end there. */
  #endpoints(modelId: string, urls: readonly string[]): readonly Endpoint[] {
    const before = this.#known.get(modelId)
    const endpoints = urls.map((url) => before?.get(url) ?? new Endpoint(modelId, url))
    this.#known.set(modelId, new Map(endpoints.map((endpoint) => [endpoint.url, endpoint])))
    return endpoints
  }
}

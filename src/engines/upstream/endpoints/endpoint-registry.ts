import type { EndpointStatus } from '../../../core/live.ts'
import type { UpstreamServers } from '../../../core/upstream.ts'
import type { EngineClock } from '../../engine-clock.ts'
import type { EngineLogLine } from '../../engine-process.ts'
import { serverQuestions } from './ask-server.ts'
import { Endpoint } from './endpoint.ts'
import { Endpoints } from './endpoints.ts'

export interface EndpointRegistrySetup {
  readonly clock: EngineClock
  /** Longest wait for a place. */
  readonly waitLimitMs: number
  readonly log: (line: EngineLogLine) => void
}

/** The endpoints of all models while the server runs. What is known of them, and what the operator drains, outlives loads. */
export class EndpointRegistry {
  readonly #setup: EndpointRegistrySetup
  readonly #known = new Map<string, Map<string, Endpoint>>()
  readonly #open = new Map<string, Set<Endpoints>>()

  constructor(setup: EndpointRegistrySetup) {
    this.#setup = setup
  }

  /** For a load of the model, at whose end the caller closes them. `key`: of its servers. */
  open(modelId: string, servers: UpstreamServers, key: string | undefined): Endpoints {
    const open = this.#open.get(modelId) ?? new Set()
    this.#open.set(modelId, open)
    const endpoints = this.#endpoints(modelId, servers.endpoints)
    // What was found with another key tells nothing.
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

  /** A load of the model has no key to ask with. `reason`: a clause of its own. */
  noteNoKey(modelId: string, { endpoints }: UpstreamServers, reason: string): void {
    for (const endpoint of this.#endpoints(modelId, endpoints)) endpoint.outOfUse = `is not asked, since ${reason}`
  }

  /** Of the endpoints that the manifest names now, in its order. */
  status(modelId: string, { endpoints }: UpstreamServers): readonly EndpointStatus[] {
    const nowMs = this.#setup.clock.nowMs()
    const known = this.#known.get(modelId)
    return endpoints.map((url) => (known?.get(url) ?? new Endpoint(url)).status(nowMs))
  }

  /** Asks all servers of loaded models whether they are there and have the model. Takes two seconds at most. */
  async ask(): Promise<void> {
    await Promise.all([...this.#open.values()].flatMap((each) => [...each].map((endpoints) => endpoints.ask())))
  }

  /** Whether an endpoint is kept from further requests; those that it has go on. `url` is one that the manifest names. */
  setDraining(modelId: string, { endpoints }: UpstreamServers, url: string, isDraining: boolean): void {
    const endpoint = this.#endpoints(modelId, endpoints).find((each) => each.url === url)
    if (endpoint === undefined) throw new Error(`${modelId} has no endpoint ${url}`)
    endpoint.isDraining = isDraining
    for (const open of this.#open.get(modelId) ?? []) open.serve()
  }

  /** Those that are not named any more are forgotten; requests that they have end there. */
  #endpoints(modelId: string, urls: readonly string[]): readonly Endpoint[] {
    const before = this.#known.get(modelId)
    const endpoints = urls.map((url) => before?.get(url) ?? new Endpoint(url))
    this.#known.set(modelId, new Map(endpoints.map((endpoint) => [endpoint.url, endpoint])))
    return endpoints
  }
}

import type { EndpointStatus } from '../../../core/live.ts'
import type { EngineClock } from '../../engine-process.ts'
import { Endpoint } from './endpoint.ts'
import { Endpoints } from './endpoints.ts'

export interface EndpointRegistrySetup {
  readonly clock: EngineClock
  /** Longest wait for a place. */
  readonly waitLimitMs: number
}

/** Of `UpstreamServers`. */
export interface EndpointList {
  readonly endpoints: readonly string[]
  readonly maxConcurrent: number
}

/** The endpoints of all models while the server runs. What is known of them, and what the operator drains, outlives loads. */
export class EndpointRegistry {
  readonly #setup: EndpointRegistrySetup
  readonly #known = new Map<string, Map<string, Endpoint>>()
  readonly #open = new Map<string, Endpoints>()

  constructor(setup: EndpointRegistrySetup) {
    this.#setup = setup
  }

  /** For a load of the model; who loads it closes what is returned. */
  open(modelId: string, { endpoints, maxConcurrent }: EndpointList): Endpoints {
    const opened = new Endpoints({
      ...this.#setup,
      modelId,
      maxConcurrent,
      endpoints: this.#endpoints(modelId, endpoints),
    })
    this.#open.set(modelId, opened)
    return opened
  }

  status(modelId: string): readonly EndpointStatus[] {
    const nowMs = this.#setup.clock.nowMs()
    return [...(this.#known.get(modelId)?.values() ?? [])].map((endpoint) => endpoint.status(nowMs))
  }

  /** Those that are not named any more are forgotten; requests that they have end there. */
  #endpoints(modelId: string, urls: readonly string[]): readonly Endpoint[] {
    const before = this.#known.get(modelId)
    const endpoints = urls.map((url) => before?.get(url) ?? new Endpoint(url))
    this.#known.set(modelId, new Map(endpoints.map((endpoint) => [endpoint.url, endpoint])))
    return endpoints
  }
}

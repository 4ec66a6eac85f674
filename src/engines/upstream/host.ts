/** What the server gives to engines of kind `upstream`, which run in its own process. */
import type { UpstreamServers } from '../../core/upstream.ts'
import type { EngineClock } from '../engine-clock.ts'
import type { EngineLogLine } from '../engine-process.ts'
import { EndpointRegistry } from './endpoints/endpoint-registry.ts'
import type { HttpLimits } from './http/request.ts'
import { type KeySources, readUpstreamKey } from './read-key.ts'

export interface UpstreamHost {
  /** The key of the model's servers, read anew at each load; undefined: none. Rejects with a LoadError where it cannot be read. */
  readonly readKey: (modelId: string, servers: UpstreamServers) => Promise<string | undefined>
  /** This run of the server, as other inferds know it: it is sent with each request to them, so that a circle is found. */
  readonly boxId: string
  readonly clock: EngineClock
  readonly log: (line: EngineLogLine) => void
  /** Random, new at each start: the accounts' cache salts are derived from it. */
  readonly saltSecret: Uint8Array
  /** Of all models; what is known of them outlives loads. */
  readonly endpoints: EndpointRegistry
  /** Shorter limits, for tests. Absent: the usual ones. */
  readonly limits?: Partial<HttpLimits> | undefined
}

/** `waitLimitMs`: longest wait for a place at a server. */
export function openUpstreamHost({
  environment,
  boxId,
  clock,
  log,
  waitLimitMs,
}: Pick<UpstreamHost, 'boxId' | 'clock' | 'log'> &
  Pick<KeySources, 'environment'> & { readonly waitLimitMs: number }): UpstreamHost {
  return {
    ...{ boxId, clock, log },
    readKey: async (modelId, { key }) =>
      key && readUpstreamKey(key, { environment, warn: (message) => log({ modelId, level: 'warn', message }) }),
    saltSecret: crypto.getRandomValues(new Uint8Array(32)),
    endpoints: new EndpointRegistry({ clock, waitLimitMs, log }),
  }
}

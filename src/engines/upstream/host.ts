/** The server's services for engines of kind `upstream`, which run in its own process. */

import type { Clock } from '../../core/clock.ts'
import type { UpstreamServers } from '../../core/upstream.ts'
import type { EngineLogLine } from '../protocol/engine.ts'
import { EndpointRegistry } from './endpoints/endpoint-registry.ts'
import type { HttpLimits } from './http/request.ts'
import { type KeySources, readUpstreamKey } from './read-key.ts'

export interface UpstreamHost {
  /**
   * Reads the key of the model's servers at each load; undefined if there is none. Rejects with a LoadError if it
   * cannot be read.
   */
  readonly readKey: (modelId: string, servers: UpstreamServers) => Promise<string | undefined>
  /** Id of this server run, sent with each request to other inferds to detect loops. */
  readonly boxId: string
  readonly clock: Clock
  readonly log: (line: EngineLogLine) => void
  /** True to log what servers say about failures, in which they may quote prompts. */
  readonly logsText: boolean
  /** Random secret, new at each start, from which accounts' cache salts are derived. */
  readonly saltSecret: Uint8Array
  /** Endpoints of all models. Their state outlives loads. */
  readonly endpoints: EndpointRegistry
  /** Shorter limits for tests. Defaults to the usual ones. */
  readonly limits?: Partial<HttpLimits> | undefined
}

/** Opens the services. `waitLimitMs`: longest wait for a place at a server. */
export function openUpstreamHost({
  environment,
  boxId,
  clock,
  log,
  logsText,
  waitLimitMs,
}: Pick<UpstreamHost, 'boxId' | 'clock' | 'log' | 'logsText'> &
  Pick<KeySources, 'environment'> & { readonly waitLimitMs: number }): UpstreamHost {
  return {
    ...{ boxId, clock, log, logsText },
    readKey: async (modelId, { key }) =>
      key && readUpstreamKey(key, { environment, warn: (message) => log({ modelId, level: 'warn', message }) }),
    saltSecret: crypto.getRandomValues(new Uint8Array(32)),
    endpoints: new EndpointRegistry({ clock, waitLimitMs, log }),
  }
}

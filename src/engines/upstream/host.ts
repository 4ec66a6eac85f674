/** What the server gives to engines of kind `upstream`, which run in its own process. */
import type { UpstreamServers } from '../../core/upstream.ts'
import type { EngineClock, EngineLogLine } from '../engine-process.ts'
import type { EndpointRegistry } from './endpoints/endpoint-registry.ts'
import type { HttpLimits } from './http/request.ts'

export interface UpstreamHost {
  /** The key of the model's servers, read anew at each load; undefined: none. Rejects with a LoadError where it cannot be read. */
  readonly readKey: (servers: UpstreamServers) => Promise<string | undefined>
  /** By which servers in a row know each other: it goes with what is passed on to other inferds. */
  readonly boxId: string
  readonly clock: EngineClock
  readonly log: (line: EngineLogLine) => void
  /** Of this run of the server: salts of accounts are made with it. */
  readonly saltSecret: Uint8Array
  /** Of all models; what is known of them outlives loads. */
  readonly endpoints: EndpointRegistry
  /** Of tests, which cannot wait that long. Absent: the usual ones. */
  readonly limits?: Partial<HttpLimits> | undefined
}

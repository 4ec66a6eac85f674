import type { CatalogEntry } from '../catalog/catalog.ts'
import type { NewId } from '../core/ids.ts'
import type { EngineStatus } from '../engines/engine-process.ts'
import type { Till } from '../inference/bill.ts'
import type { ModelLookup } from '../inference/resolve-model.ts'
import type { WorkEngines } from '../inference/run-work.ts'
import type { OperationServices } from '../operations/operation.ts'
import type { BodyIntake } from './bodies/body-intake.ts'
import type { RecentItems } from './recent-items.ts'
import type { HttpLogLine, RequestRecord } from './request-record.ts'
import type { ErrorDialect } from './route.ts'

export interface HttpConfig {
  /** Address that clients use, without path, when it is not the one they connect to (a proxy in front). */
  readonly publicUrl?: string | undefined
  /** Version of the server: part of `system_fingerprint`. */
  readonly version: string
  /** Largest JSON body. */
  readonly bodyLimitBytes: number
  /** Longest time that a body may take to arrive. */
  readonly bodyTimeoutMs: number
  /** GET /models leaves out what is not on this disk. */
  readonly listsOnlyInstalled: boolean
  /** Longest silence in a stream; then a comment is sent. */
  readonly keepAliveMs: number
  /** Output tokens that are held at a time for answers without a limit of their own. */
  readonly holdTokens: number
  /** Names of this server beside `publicUrl`, under which the dashboard and signup are served. */
  readonly hostNames: readonly string[]
  /** Proxies whose word on the client's address is taken: IP addresses and networks. */
  readonly trustedProxies: readonly string[]
  /** After this long without a byte in either direction a connection is closed, unless a model is at work for it. */
  readonly idleTimeoutSeconds: number
}

/** What production uses. */
export const httpDefaults = {
  bodyLimitBytes: 64 * 1024 * 1024,
  bodyTimeoutMs: 60_000,
  listsOnlyInstalled: false,
  keepAliveMs: 15_000,
  idleTimeoutSeconds: 120,
  holdTokens: 256,
  hostNames: [],
  trustedProxies: [],
} as const

/** Everything the HTTP layer works with. */
export interface HttpServices extends OperationServices {
  readonly config: HttpConfig
  readonly catalog: ModelLookup & { entries(): readonly CatalogEntry[] }
  readonly till: Till
  /** What requests may refer to instead of sending it again. */
  readonly recentItems: RecentItems
  /** The server cuts off what still runs. */
  readonly isStopping: () => boolean
  readonly pool: WorkEngines & { status(): readonly Pick<EngineStatus, 'modelId' | 'state' | 'failedLoad'>[] }
  /** Takes the line that each request leaves. */
  readonly log: (line: HttpLogLine) => void
  readonly newId: NewId
}

/** One request on its way through a handler. */
export interface Exchange {
  readonly request: Request
  readonly url: URL
  readonly record: RequestRecord
  /** How errors are rendered. */
  readonly dialect: ErrorDialect
  readonly services: HttpServices
  readonly intake: BodyIntake
  /** IP address of the client, as far as it can be known. */
  readonly clientAddress: string
  /** Address of this server as the client should see it, without path. */
  readonly baseUrl: string
  /**
   * Whether the connection is closed when nothing moves on it. Not while a model works: it is loaded and reads prompts for
   * minutes. But while an answer waits to be read.
   */
  readonly limitSilence: (isLimited: boolean) => void
  /** When it came, in milliseconds UTC. */
  readonly arrivedAtMs: number
  /**
   * The response goes on when the handler has returned. The request is over when the function that this returns is called:
   * exactly once, however the response ends.
   */
  readonly outlive: () => () => void
}

export type Handler = (exchange: Exchange) => Response | Promise<Response>

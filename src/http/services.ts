import type { AudioDecoder } from '../audio/audio-decoder.ts'
import type { CatalogEntry } from '../catalog/catalog.ts'
import type { GgufFiles } from '../catalog/gguf-file.ts'
import type { NewId } from '../core/ids.ts'
import type { AdminReach } from '../core/listen-address.ts'
import type { InstalledModel, ModelManifest } from '../core/model.ts'
import type { ModelState } from '../core/model-state.ts'
import type { CommandReach } from '../core/own-commands.ts'
import type { RequestRecord } from '../core/request-record.ts'
import type { TextLimits } from '../core/texts.ts'
import type { PoolReport } from '../engines/pool.ts'
import type { WorkEngines } from '../engines/protocol/work-engines.ts'
import type { ImageReceiver } from '../images/image-receiver.ts'
import type { Till } from '../inference/bill.ts'
import type { ModelLookup } from '../inference/resolve-model.ts'
import type { OperationServices } from '../operations/operation.ts'
import type { Spool } from '../spool/spool.ts'
import type { LiveFeeds } from '../telemetry/live-feeds.ts'
import type { RecentRequests } from '../telemetry/recent-requests.ts'
import { limits } from '../wire/limits.ts'
import type { BodyIntake } from './bodies/body-intake.ts'
import type { EventStreams } from './event-streams.ts'
import type { UiFiles } from './pages/ui-files.ts'
import type { RecentItems } from './recent-items.ts'
import type { RequestObserver } from './request-observer.ts'
import type { Route } from './route.ts'
import type { UploadProgress } from './upload-progress.ts'

export interface HttpConfig {
  /** Address that clients use, without path, when it is not the one they connect to (a proxy in front). */
  readonly publicUrl?: string | undefined
  /** Version of the server: part of `system_fingerprint`. */
  readonly version: string
  /** Largest JSON body. */
  readonly bodyLimitBytes: number
  /** Longest time that a body may take to arrive, and longest silence of an upload. */
  readonly bodyTimeoutMs: number
  /** Longest time that an upload may take to arrive. */
  readonly uploadTimeoutMs: number
  /** True if GET /models lists only models on this disk. */
  readonly listsOnlyInstalled: boolean
  /** True to repeat thinking in OpenRouter's fields for all chats. */
  readonly repeatsReasoning: boolean
  /** Time after which a stream begins even if its model is not ready. Later refusals are errors in the stream. */
  readonly silentWaitMs: number
  /** Longest silence in a stream; then a comment is sent. */
  readonly keepAliveMs: number
  /** Output tokens held at a time for answers without a limit. */
  readonly holdTokens: number
  /** Machines that can use the operator's pages. */
  readonly admin: AdminReach
  /** Parts that make commands reach this server from a shell. */
  readonly reach?: CommandReach | undefined
  /** Address that the server listens on. */
  readonly host: string
  /** The operator's words on how else accounts get money, for the billing page. */
  readonly topUpText?: string | undefined
  /** Host names besides `publicUrl`'s under which the dashboard and signup are served. */
  readonly hostNames: readonly string[]
  /** Proxies that are trusted to name the client's address: IP addresses and networks. */
  readonly trustedProxies: readonly string[]
  /** Ollama's API is served below /api. */
  readonly servesOllama: boolean
  /** Programs of this machine that send no key are served where Ollama's API is. */
  readonly servesKeyless: boolean
  /** Pages that count as programs of this machine for that: their origins, as browsers send them. */
  readonly keylessOrigins: readonly string[]
  /** A connection without a byte in either direction is closed after this long, unless a model works for it. */
  readonly idleTimeoutSeconds: number
  /** Most texts in a request. */
  readonly textLimits: TextLimits
}

/** Values of production. */
export const httpDefaults = {
  bodyLimitBytes: 64 * 1024 * 1024,
  bodyTimeoutMs: 60_000,
  uploadTimeoutMs: 15 * 60_000,
  listsOnlyInstalled: false,
  repeatsReasoning: false,
  silentWaitMs: 15_000,
  keepAliveMs: 10_000,
  idleTimeoutSeconds: 120,
  holdTokens: 256,
  admin: 'loopback',
  host: '127.0.0.1',
  hostNames: [],
  trustedProxies: [],
  servesOllama: true,
  servesKeyless: false,
  keylessOrigins: [],
  textLimits: { embeddingInputs: limits.embeddingInputs.most, rerankDocuments: limits.rerankDocuments.most },
} as const

/** Models that other boxes may fetch. */
export interface SharedFiles {
  /** Each with its manifest and the sums of its files. */
  models(): readonly object[]
  /** The file that has this SHA-256. */
  find(sha256: string): { readonly path: string; readonly bytes: number } | undefined
  /** Resolves when more bytes may follow these; throws the signal's reason. Undefined without a rate limit. */
  readonly pace: ((bytes: number, signal: AbortSignal) => Promise<void>) | undefined
}

/** The services of all handlers, by the names under which a handler declares them. */
export interface HttpServices extends OperationServices {
  /** Id by which servers in a row know each other, new at each start. */
  readonly boxId: string
  readonly config: HttpConfig
  readonly catalog: ModelLookup & { entries(): readonly CatalogEntry[] }
  /** Headers of model files, as they were read. */
  readonly ggufFiles: Pick<GgufFiles, 'check'>
  readonly till: Till
  /** Items of earlier answers that requests may refer to. */
  readonly recentItems: RecentItems
  /** Event streams that pages have open. */
  readonly streams: EventStreams
  /** Progress of requests with uploads, for the pages that sent them. */
  readonly uploads: UploadProgress
  /** Uploads, as files while their requests last. */
  readonly spool: Spool
  /** Makes of an upload what engines read. */
  readonly audioDecoder: Pick<AudioDecoder, 'decode'>
  /** Makes of the pictures of requests what engines read. */
  readonly images: Pick<ImageReceiver, 'receive' | 'limits'>
  /** The built pages. */
  readonly ui: UiFiles
  /** Shared files. Undefined if nothing is shared. */
  readonly share?: SharedFiles | undefined
  /** The server is cutting off running requests. */
  readonly isStopping: () => boolean
  readonly pool: WorkEngines & {
    isLoaded(modelId: string): boolean
    status(): readonly ModelState[]
    report(): Pick<PoolReport, 'queue'>
    load(model: InstalledModel, signal: AbortSignal): Promise<void>
    keepAlive(modelId: string, ms: number): void
    contextLimit(manifest: ModelManifest): number
  }
  /** Feeds that the operator's pages can follow. */
  readonly live: LiveFeeds
  /** Requests to models, for the operator. */
  readonly requests: RecentRequests
  /** Logs each request that has ended. */
  readonly log: (record: RequestRecord) => void
  readonly newId: NewId
}

/** The shape of errors. */
export type ErrorDialect = 'chat' | 'messages' | 'cohere' | 'ollama'

/**
 * One request on its way through a handler. `Name` are the services that the handler uses, and all that its test has to make.
 */
export interface Exchange<Name extends keyof HttpServices = never> {
  readonly request: Request
  readonly url: URL
  readonly observer: RequestObserver
  /** Form of errors. */
  readonly dialect: ErrorDialect
  readonly services: Pick<HttpServices, Name>
  /** Routes of the port that the request came to. */
  readonly routes: readonly Route[]
  readonly intake: BodyIntake
  /** IP address of the client, as far as it can be known. */
  readonly clientAddress: string
  /** IP address of the other end of the connection: of the client, or of a proxy. */
  readonly peerAddress: string | undefined
  /** Port that the server listens on. The port in `url` may be a proxy's. */
  readonly port: number
  /** Address of this server as the client should see it, without path. */
  readonly baseUrl: string
  /**
   * Sets whether the connection is closed when it is silent. Not while a model works, which may load and read a prompt for
   * minutes; but while an answer waits for the client to read it.
   */
  readonly limitSilence: (isLimited: boolean) => void
  /** Milliseconds UTC. */
  readonly arrivedAtMs: number
  /**
   * Disposes of the resource when the request has ended, however it ended; an answer that is made whole is sent after that. The
   * disposal must not reject.
   */
  readonly keep: <Resource extends AsyncDisposable>(resource: Resource) => Resource
  /**
   * For a response that goes on after the handler has returned. Returns the function that ends the request, to be called
   * exactly once however the response ends.
   */
  readonly outlive: () => () => void
}

import type { AudioDecoder } from '../audio/audio-decoder.ts'
import type { SoundReceiver } from '../audio/sent/sound-receiver.ts'
import type { RequestRates } from '../billing/request-rates.ts'
import type { CatalogEntry } from '../catalog/catalog.ts'
import type { GgufFiles } from '../catalog/gguf-file.ts'
import type { NewId } from '../core/ids.ts'
import type { InstalledModel, ModelManifest } from '../core/model.ts'
import type { ModelState } from '../core/model-state.ts'
import type { RequestRecord } from '../core/request-record.ts'
import type { SearchService } from '../core/web-search.ts'
import type { DocumentReceiver } from '../documents/document-receiver.ts'
import type { PoolReport } from '../engines/pool.ts'
import type { WorkEngines } from '../engines/protocol/work-engines.ts'
import type { ImageReceiver } from '../images/image-receiver.ts'
import type { Till } from '../inference/bill.ts'
import type { ModelLookup } from '../inference/resolve-model.ts'
import type { OperationServices } from '../operations/operation.ts'
import type { Spool } from '../spool/spool.ts'
import type { LiveFeeds } from '../telemetry/live-feeds.ts'
import type { RecentRequests } from '../telemetry/recent-requests.ts'
import type { EventStreams } from './event-streams.ts'
import type { HttpConfig } from './http-config.ts'
import type { UiFiles } from './pages/ui-files.ts'
import type { RecentItems } from './recent-items.ts'
import type { UploadProgress } from './upload-progress.ts'

/** Models that other boxes may fetch. */
export interface SharedFiles {
  /** Returns the models, each with its manifest and the checksums of its files. */
  models(): readonly object[]
  /** Returns the file with this SHA-256. */
  find(sha256: string): { readonly path: string; readonly bytes: number } | undefined
  /** Resolves once `bytes` more may be sent. Throws the signal's reason. Undefined without a rate limit. */
  readonly pace: ((bytes: number, signal: AbortSignal) => Promise<void>) | undefined
}

/** Services of all handlers, by the names under which handlers declare them */
export interface HttpServices extends OperationServices {
  /** Id by which chained servers recognize each other, new at each start */
  readonly boxId: string
  readonly config: HttpConfig
  readonly catalog: ModelLookup & { entries(): readonly CatalogEntry[] }
  /** Headers of model files as read */
  readonly ggufFiles: Pick<GgufFiles, 'check'>
  readonly till: Till
  /** Requests and tokens of each account and key with limits. */
  readonly rates: RequestRates
  /** Items of earlier answers that requests may refer to. */
  readonly recentItems: RecentItems
  /** Event streams that pages have open. */
  readonly streams: EventStreams
  /** Progress of requests with uploads, for the pages that sent them. */
  readonly uploads: UploadProgress
  /** Files of uploads, kept while their requests last */
  readonly spool: Spool
  /** Decoder of uploads into audio that engines read */
  readonly audioDecoder: Pick<AudioDecoder, 'decode'>
  /** Receiver of pictures, which turns them into what engines read */
  readonly images: Pick<ImageReceiver, 'receive' | 'limits'>
  /** Receiver of recordings in chats */
  readonly sounds: Pick<SoundReceiver, 'store' | 'decode'>
  /** Receiver of documents, which reads them as text and pictures */
  readonly documents: Pick<DocumentReceiver, 'store' | 'read'>
  readonly ui: UiFiles
  /** Shared files. Undefined if nothing is shared. */
  readonly share?: SharedFiles | undefined
  /** Search server that models and clients may ask. Undefined if the operator has named none. */
  readonly searching?: SearchService | undefined
  /** Returns true while the server cuts off running requests. */
  readonly isStopping: () => boolean
  /** Certificates of this server. Undefined without TLS. */
  readonly encryption?: HttpEncryption | undefined
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

/** Parts of TLS that requests and connections ask for */
export interface HttpEncryption {
  /** Root certificate in PEM that clients must trust. Undefined if a public authority made the certificate. */
  readonly rootCertificate: string | undefined
  /** Returns the answer to an authority's challenge over HTTP; undefined if none is expected. */
  answerTo(token: string): string | undefined
  /** Returns the port of 127.0.0.1 that answers an authority's challenge over TLS; undefined for other protocols. */
  portOfProtocol(protocol: string): number | undefined
}

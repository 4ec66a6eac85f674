import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KeyStore } from '../accounts/keys.ts'
import { IdentityProviders } from '../accounts/oidc/identity-providers.ts'
import { AudioDecoder, type AudioDecoderOptions } from '../audio/audio-decoder.ts'
import { soundFiles } from '../audio/sent/sound-limits.ts'
import { SoundReceiver } from '../audio/sent/sound-receiver.ts'
import { RequestRates } from '../billing/request-rates.ts'
import type { CatalogEntry } from '../catalog/catalog.ts'
import { GgufFiles } from '../catalog/gguf-file.ts'
import type { IdentityProvider } from '../core/identity-provider.ts'
import { newId } from '../core/ids.ts'
import { freePricing, type ModelManifest } from '../core/model.ts'
import type { FilesState } from '../core/model-state.ts'
import type { RequestRecord } from '../core/request-record.ts'
import type { SearchService } from '../core/web-search.ts'
import { documentFiles } from '../documents/document-errors.ts'
import { DocumentReceiver, type DocumentReceiverOptions } from '../documents/document-receiver.ts'
import type { EngineSettings } from '../engines/engine-table.ts'
import type { EnginePool, EnginePoolOptions } from '../engines/pool.ts'
import { runtimePaths } from '../engines/runtime/runtime-paths.ts'
import type { UpstreamHost } from '../engines/upstream/host.ts'
import { EventStreams } from '../http/event-streams.ts'
import { type HttpConfig, httpDefaults } from '../http/http-config.ts'
import { UiFiles } from '../http/pages/ui-files.ts'
import { RecentItems, recentItemsDefaults } from '../http/recent-items.ts'
import { createServer } from '../http/server.ts'
import type { SharedFiles } from '../http/services.ts'
import { UploadProgress } from '../http/upload-progress.ts'
import { FileFetcher, type FileFetcherOptions } from '../images/fetch/file-fetcher.ts'
import { ImageFetcher, type ImageFetcherOptions } from '../images/fetch/image-fetcher.ts'
import type { ImageLimits } from '../images/image-limits.ts'
import { ImageReceiver } from '../images/image-receiver.ts'
import type { Till } from '../inference/bill.ts'
import { modelControl } from '../inference/model-control.ts'
import type { SampleMachine } from '../machine/sample-machine.ts'
import { attemptLimits } from '../operations/attempt-limits.ts'
import { prepareKeylessKey } from '../operations/keys.ts'
import type { AccountRules, OperationServices } from '../operations/operation.ts'
import { openStores, type Stores } from '../operations/stores.ts'
import { Spool, type SpoolOptions, spoolDefaults } from '../spool/spool.ts'
import { Metrics } from '../telemetry/metrics.ts'
import { RecentRequests } from '../telemetry/recent-requests.ts'
import { Telemetry } from '../telemetry/telemetry.ts'
import { testRules } from './account-rules.ts'
import { testPool } from './engine-pool.ts'
import { testEngineSettings } from './engine-settings.ts'
import { freshDatabase } from './fresh-database.ts'
import { testImageLimits } from './image-limits.ts'
import { makeAccount, moneyOf } from './test-accounts.ts'
import { testManifest } from './test-manifest.ts'
import { testedProgram } from './tested-program.ts'
import { testsBehind } from './upstream/behind.ts'

export interface TestModel {
  readonly manifest?: Partial<ModelManifest>
  readonly filePaths?: Readonly<Record<string, string>>
  readonly status?: FilesState
}

export interface TestServerOptions {
  /** Models by canonical id. `test/fake` with the alias `fake` is always included. */
  readonly models?: Readonly<Record<string, TestModel>>
  readonly config?: Partial<HttpConfig>
  /** Sequences that one engine decodes at once. */
  readonly parallel?: number
  /** Engine settings that differ from `engine-settings.ts`. */
  readonly engine?: Partial<EngineSettings>
  /** Options of the pool of engines. */
  readonly pool?: Partial<EnginePoolOptions>
  /** Options of the host of upstream models. */
  readonly upstream?: Partial<UpstreamHost>
  /** Path of the database. Defaults to memory. */
  readonly databasePath?: string
  /** Time that a write waits while another process locks the database, in milliseconds. */
  readonly lockWaitMs?: number
  /** True if the rights of staff need a second factor. */
  readonly requiresSecondFactor?: boolean
  readonly rules?: Partial<AccountRules>
  /** Milliseconds UTC. */
  readonly clock?: () => number
  /** Monotonic clock in milliseconds. */
  readonly monotonicMs?: () => number
  /** Till instead of the one over the database. */
  readonly till?: Till
  /** Files that other boxes may fetch. */
  readonly share?: SharedFiles
  /** Limits of uploads. */
  readonly spool?: Partial<SpoolOptions>
  readonly audio?: Partial<AudioDecoderOptions>
  /** Limits of pictures. */
  readonly images?: Partial<ImageLimits>
  /** Options of reading documents. */
  readonly documents?: Partial<DocumentReceiverOptions>
  /** Options of fetching documents and recordings. Without them none are fetched. */
  readonly documentUrls?: Partial<FileFetcherOptions>
  /** Options of fetching pictures. Without them no pictures are fetched. */
  readonly imageUrls?: Partial<ImageFetcherOptions>
  /** Identity providers by name. */
  readonly providers?: ReadonlyMap<string, IdentityProvider>
  /** Search server that models may ask. */
  readonly searching?: SearchService
  /** True to listen also where programs look for Ollama. */
  readonly hasOllamaDoor?: boolean
  /** Reads the machine. Without it the server sees nothing of the machine. */
  readonly sampleMachine?: SampleMachine
  /** Called with each record that a request leaves. */
  readonly log?: (line: RequestRecord) => void
}

export interface Payer {
  readonly accountId: string
  readonly keyId: string
  readonly key: string
  /** Returns the account's balance and the part that is held, in nano-USD. */
  money(): { balance: number; held: number }
}

export interface TestServer extends AsyncDisposable {
  readonly url: string
  /** `url` with /v1. */
  readonly baseUrl: string
  /** Address of the port where programs look for Ollama. Undefined if the server does not listen there. */
  readonly ollamaUrl: string | undefined
  /** Secrets of keys, by their state. */
  readonly keys: {
    readonly valid: string
    readonly revoked: string
    readonly expired: string
    readonly unknown: string
  }
  /** Id of the operator's account, which is unmetered. */
  readonly accountId: string
  /** Creates a metered account with a key and this much money, in nano-USD. */
  payer(balanceNanoUsd: number): Payer
  readonly stores: Stores
  /** Services of operations. */
  readonly services: OperationServices
  readonly pool: EnginePool
  /** Recent requests to models, as the operator sees them. */
  readonly requests: RecentRequests
  /** The server's state as the operator sees it, sampled when `tick` is called. */
  readonly telemetry: Telemetry
  /** Records that requests left, oldest first. */
  readonly lines: readonly RequestRecord[]
  /** Resolves with a record for which `test` holds: an earlier one, or the next. */
  line(test: (line: RequestRecord) => boolean): Promise<RequestRecord>
  /** Progress of requests with uploads. */
  readonly uploads: UploadProgress
  /** Returns the paths of existing spool files: uploads, and results made of them. */
  spooled(): readonly string[]
  /** Resolves once every request has ended. */
  drained(): Promise<void>
  /** Sends a request with the valid key. A body that is not text is sent as JSON. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>
}

/**
 * Starts the whole service: real sockets, real SQLite, real engine children. The models that are always there run on
 * the fake engine.
 */
export function startTestServer(options: TestServerOptions = {}): TestServer {
  return testsBehind() === 'twin' ? withTwinBehind(options) : startOne(options)
}

/** Starts a server whose models are all served by a second test server. */
function withTwinBehind(options: TestServerOptions): TestServer {
  const { config, log, till, share, hasOllamaDoor, rules, ...engines } = options
  const twin = startOne(engines)
  const models = Object.entries({ ...defaultModels, ...options.models }).map(([id, { manifest, status }]) => {
    const upstream = { flavor: 'inferd' as const, model: id, endpoints: [twin.baseUrl], maxConcurrent: 64 }
    const contextLength = manifest?.contextLength ?? options.engine?.contextTokens ?? testEngineSettings.contextTokens
    return [
      id,
      { manifest: { ...manifest, contextLength, engine: 'upstream' as const, upstream }, ...(status && { status }) },
    ]
  })
  const front = startOne({
    ...options,
    models: Object.fromEntries(models),
    upstream: { readKey: async () => twin.keys.valid, ...options.upstream },
  })
  return {
    ...front,
    [Symbol.asyncDispose]: async () => {
      await front[Symbol.asyncDispose]()
      await twin[Symbol.asyncDispose]()
    },
  }
}

const defaultModels: Readonly<Record<string, TestModel>> = { 'test/fake': { manifest: { aliases: [{ id: 'fake' }] } } }

function startOne({
  models = {},
  config = {},
  parallel = 4,
  engine = {},
  pool: poolOptions = {},
  upstream = {},
  databasePath = ':memory:',
  lockWaitMs,
  requiresSecondFactor,
  till,
  share,
  spool: spoolOptions = {},
  audio = {},
  images = {},
  imageUrls = {},
  documents = {},
  documentUrls = {},
  providers = new Map(),
  searching,
  log = () => undefined,
  hasOllamaDoor = false,
  sampleMachine = unknownMachine,
  rules = {},
  clock = Date.now,
  monotonicMs = () => performance.now(),
}: TestServerOptions): TestServer {
  const database = freshDatabase(databasePath)
  const stores = openStores({
    database,
    newId,
    clock,
    requiresSecondFactor,
    ...(lockWaitMs !== undefined && { lockWaitMs }),
  })
  const accountId = stores.accounts.ensureOperator().id
  const keyStore = stores.keys
  const boxId = newId('', 16)
  const pool = testEngines({ parallel, ...engine }, poolOptions, { boxId, ...upstream })
  const lines: RequestRecord[] = []
  const waiters = new Set<() => void>()
  const entries = catalogEntries({ ...defaultModels, ...models })
  const catalog = { entries: () => entries, resolve: (id: string) => resolveIn(entries, id) }
  const streams = new EventStreams()
  const requests = new RecentRequests(clock)
  const telemetry = new Telemetry({
    pool,
    requests,
    sampleMachine,
    waitingMails: () => stores.outbox.countWaiting(),
    otherNotices: () => [],
    clock,
  })
  const rates = new RequestRates(monotonicMs)
  const services: OperationServices = {
    stores,
    rates,
    rules: { ...testRules, ...rules },
    limits: attemptLimits(monotonicMs),
    identityProviders: new IdentityProviders({ providers, readCa: (path) => path, monotonicMs }),
    mails: { wake: () => undefined },
    onWritten: () => streams.recheck(),
    requests,
    models: modelControl(catalog, pool),
    clock,
  }
  const spoolFolder = mkdtempSync(join(tmpdir(), 'inferd-spool-'))
  const spool = new Spool({ folder: spoolFolder, ...spoolDefaults, ...spoolOptions })
  const audioDecoder = new AudioDecoder({ spool, parallel: 2, ...audio })
  const uploads = new UploadProgress()
  const server = createServer({
    config: { version: 'test', ...httpDefaults, ...config },
    catalog,
    ...services,
    ggufFiles: new GgufFiles(),
    till: till ?? stores.holds,
    rates,
    boxId: upstream.boxId ?? boxId,
    recentItems: new RecentItems(recentItemsDefaults),
    uploads,
    streams,
    spool,
    audioDecoder,
    sounds: new SoundReceiver({
      spool,
      decoder: audioDecoder,
      fetcher: new FileFetcher(soundFiles, { isAllowed: false, userAgent: 'inferd/test', ...documentUrls }),
    }),
    images: new ImageReceiver({
      spool,
      limits: { ...testImageLimits, ...images },
      fetcher: new ImageFetcher({ isAllowed: false, userAgent: 'inferd/test', ...imageUrls }),
    }),
    documents: new DocumentReceiver({
      spool,
      command: testedProgram,
      fetcher: new FileFetcher(documentFiles, { isAllowed: false, userAgent: 'inferd/test', ...documentUrls }),
      ...documents,
    }),
    share,
    searching,
    ui: new UiFiles(),
    isStopping: () => false,
    requests,
    live: {
      telemetry,
      requests,
      metrics: new Metrics({ version: 'test', telemetry, requests, endpoints: () => [] }),
      clock,
    },
    pool,
    log: (line) => {
      lines.push(line)
      for (const wake of waiters) wake()
      log(line)
    },
    newId,
  })
  const { url } = server.listen({ hostname: '127.0.0.1', port: 0 })
  const ollamaUrl = hasOllamaDoor ? server.listen({ hostname: '127.0.0.1', port: 0, door: 'ollama' }).url : undefined
  prepareKeylessKey(stores, config.servesKeyless === true)
  const keys = makeKeys(keyStore, accountId)
  return {
    url,
    baseUrl: `${url}/v1`,
    ollamaUrl,
    keys,
    accountId,
    payer: (balanceNanoUsd) => {
      const payer = makeAccount({ database, stores, newId }, balanceNanoUsd)
      return { ...payer, money: () => moneyOf(database, payer.accountId) }
    },
    stores,
    services,
    pool,
    requests,
    telemetry,
    lines,
    line: async (test) => {
      let found = lines.find(test)
      while (found === undefined) {
        const { promise, resolve } = Promise.withResolvers<void>()
        waiters.add(resolve)
        await promise
        waiters.delete(resolve)
        found = lines.find(test)
      }
      return found
    },
    uploads,
    spooled: () => (existsSync(spoolFolder) ? readdirSync(spoolFolder) : []),
    drained: () => server.drained(),
    post: (path, body, headers = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${keys.valid}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: async () => {
      await server.stop({ force: true })
      await pool.stop()
      await server.drained()
      rmSync(spoolFolder, { recursive: true })
      stores.commits.close()
      database.close()
    },
  }
}

const unknownMachine: SampleMachine = async () => ({
  devices: [],
  host: undefined,
  processes: new Map(),
  ownBytes: 0,
  disk: undefined,
})

function makeKeys(keyStore: KeyStore, accountId: string): TestServer['keys'] {
  const valid = keyStore.create({ accountId, name: 'valid' }).key
  const revoked = keyStore.create({ accountId, name: 'revoked' })
  keyStore.revoke(revoked.id)
  const expired = keyStore.create({ accountId, name: 'expired', expiresAtMs: 1 }).key
  return { valid, revoked: revoked.key, expired, unknown: newId('sk-inferd-', 40) }
}

function testEngines(
  options: Partial<EngineSettings>,
  pool: Partial<EnginePoolOptions>,
  upstream: Partial<UpstreamHost>,
): EnginePool {
  return testPool(
    { settings: { ...testEngineSettings, ...options }, runtime: () => runtimePaths(''), ...pool },
    upstream,
  )
}

function catalogEntries(models: Readonly<Record<string, TestModel>>): CatalogEntry[] {
  return Object.entries(models).map(([id, { manifest, status, filePaths = {} }]) => ({
    manifest: testManifest({
      id,
      pricing: freePricing[manifest?.type ?? 'chat'],
      ...manifest,
    }),
    status: status ?? { kind: 'ready' },
    filePaths,
    addedAtMs: 1_700_000_000_000,
  }))
}

function resolveIn(entries: readonly CatalogEntry[], requestedId: string) {
  for (const entry of entries) {
    const alias = entry.manifest.aliases.find((candidate) => candidate.id === requestedId)
    if (entry.manifest.id === requestedId || alias !== undefined) return { requestedId, alias, entry }
  }
  return undefined
}

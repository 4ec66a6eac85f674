/** Composition root: builds the services in order, wires them together, and ends them in reverse. */

import { join } from 'node:path'
import { MailDelivery } from '../accounts/deliver-mails.ts'
import type { CreatedKey } from '../accounts/keys.ts'
import { AudioDecoder } from '../audio/audio-decoder.ts'
import { RequestRates } from '../billing/request-rates.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { GgufFiles } from '../catalog/gguf-file.ts'
import { openCatalog } from '../catalog/open-catalog.ts'
import { commandReach, shellProgram } from '../config/command-reach.ts'
import { type Config, version } from '../config/config.ts'
import { engineEnvironment } from '../config/engine-environment.ts'
import type { ConfigSources } from '../config/sources.ts'
import { systemClock } from '../core/clock.ts'
import { newId } from '../core/ids.ts'
import { adminBase, localOrigin } from '../core/listen-address.ts'
import type { EngineKind, ModelManifest } from '../core/model.ts'
import { countModels, modelIdOf } from '../core/model-counts.ts'
import { withOwnCommands } from '../core/own-commands.ts'
import { within } from '../core/within.ts'
import { kindsOfWork } from '../core/work.ts'
import { openDatabase } from '../db/open-database.ts'
import { Backends } from '../engines/backends/backends.ts'
import { backendCandidates } from '../engines/backends/candidates.ts'
import type { DeviceSetting } from '../engines/backends/choose-backend.ts'
import { machineFacts } from '../engines/backends/machine-facts.ts'
import { askDevices } from '../engines/host/ask-devices.ts'
import { sharingCores } from '../engines/host/share-cores.ts'
import { engineSpawn, ownCommand } from '../engines/host/spawn-engine.ts'
import { EnginePool } from '../engines/pool.ts'
import type { EngineLogLine } from '../engines/protocol/engine.ts'
import { LoadError } from '../engines/protocol/load-error.ts'
import { isShipped, llamaCudaLibrary, sharedRuntimePaths } from '../engines/runtime/runtime-paths.ts'
import { upstreamEngine } from '../engines/upstream/engine.ts'
import { openUpstreamHost } from '../engines/upstream/host.ts'
import { EventStreams } from '../http/event-streams.ts'
import { recallLastMinute } from '../http/limits.ts'
import { UiFiles } from '../http/pages/ui-files.ts'
import { RecentItems, recentItemsDefaults } from '../http/recent-items.ts'
import { createServer, type HttpServer } from '../http/server.ts'
import { UploadProgress } from '../http/upload-progress.ts'
import { endpointControl } from '../inference/endpoint-control.ts'
import { loadAtStart } from '../inference/load-at-start.ts'
import { modelControl } from '../inference/model-control.ts'
import { coresOf, readCpuAllowance } from '../machine/cpu-allowance.ts'
import { readGpuSigns, usualPlaces } from '../machine/gpu-signs.ts'
import { memoryReader } from '../machine/read-memory.ts'
import { smtpSender } from '../mail/smtp.ts'
import { ModelMemory } from '../memory/model-memory.ts'
import { missingLibraries } from '../nvidia/advice.ts'
import { findNvidiaLibraries } from '../nvidia/find-libraries.ts'
import { linkLibraries } from '../nvidia/link-libraries.ts'
import { attemptLimits } from '../operations/attempt-limits.ts'
import { toListedEndpoint } from '../operations/endpoints.ts'
import { makeKey, prepareKeylessKey } from '../operations/keys.ts'
import { toListedReport } from '../operations/models.ts'
import { type OperationResult, perform as performOperation } from '../operations/operations.ts'
import { openStores } from '../operations/stores.ts'
import { Spool, spoolDefaults } from '../spool/spool.ts'
import { beginRun, endRun } from '../store/verify/clean-stop.ts'
import { LoadChecks } from '../store/verify/load-checks.ts'
import type { Log } from '../telemetry/log.ts'
import type { LogTail } from '../telemetry/log-tail.ts'
import { logRequest, neverThrowing } from '../telemetry/request-log.ts'
import { keylessWarning } from '../telemetry/standing-notices.ts'
import { cleanRegularly, cleanUp } from './clean-up.ts'
import {
  documentReceiver,
  httpConfig,
  imageReceiver,
  poolSettings,
  searchService,
  sharedModels,
  soundReceiver,
  spoolFolder,
} from './configured.ts'
import { modelSteps, serveControl } from './control.ts'
import { type Encryption, openEncryption } from './encryption.ts'
import { perform } from './perform.ts'
import { restoreIfWanted } from './restore-at-start.ts'
import { runningServer } from './running-server.ts'
import { openShipping } from './ship-records.ts'
import {
  clearPort,
  listen,
  listenOnLoopback,
  lockDataFolder,
  missingTeams,
  modelToPreload,
  openIdentityProviders,
  requireKey,
  requireNamedModels,
  requireRightOverrides,
} from './start-conditions.ts'
import { watchEvents } from './watch-events.ts'
import { watchServer } from './watch-server.ts'
import { openWebhooks } from './webhooks.ts'

/** Time for the last commits at a stop, after the engines have ended. */
const drainWithinMs = 2_000
/** Number of latest requests per model whose lengths decide on the layout of its cache. */
const rememberedRequests = 128

const chatTypes = kindsOfWork.chat.modelTypes

export interface App {
  /** Settings in force: of a restored file where this start restored a backup. */
  readonly config: Config
  /** Resolves when an operator wants the server to end and be started again. */
  readonly restarts: Promise<void>
  /** Scheme, address and port. */
  readonly url: string
  /** Address of the port where programs expect Ollama. Undefined without one. */
  readonly ollamaUrl: string | undefined
  /** Addresses of the pages. `adminUrl` is undefined if the operator's pages are off. */
  readonly pages: { readonly dashboardUrl: string; readonly adminUrl: string | undefined }
  /** First key. Only set if this start made the first account. */
  readonly firstKey: CreatedKey | undefined
  /**
   * Makes the link by which an operator chooses a password. Undefined if one can sign in already, or if the pages are
   * off.
   */
  readonly makeSetupLink: (() => Promise<string>) | undefined
  /** Id of a model for a first request. */
  readonly exampleModel: string | undefined
  /** Looks for a newer certificate now. Undefined without TLS. */
  readonly lookForCertificate: (() => Promise<void>) | undefined
  /** Stops accepting requests, lets running ones end for up to `graceMs`, then ends engines and everything else. */
  stop(graceMs: number): Promise<void>
}

/** Log with its latest lines, and the environment. */
export interface AppContext {
  readonly log: Log
  readonly tail: LogTail
  /** Variables for downloads, which name the hub, its token and proxies. */
  readonly environment: ConfigSources['environment']
  /** Flags and environment by which the settings were read. */
  readonly sources: ConfigSources
  /** Reads the settings again, which a restored backup may have replaced. */
  readonly readConfig: () => Config
}

/** Rejects with StartError (or another error) and leaves nothing running. */
export async function startApp(config: Config, context: AppContext): Promise<App> {
  const closing = new AsyncDisposableStack()
  try {
    const lock = lockDataFolder(config.data)
    closing.use(lock)
    const isRestored = await restoreIfWanted(config.data, context.log)
    const inForce = isRestored ? context.readConfig() : config
    const encryption = await openEncryption(inForce, { log: context.log, clock: Date.now })
    closing.defer(() => encryption?.stop())
    return compose(inForce, { ...context, encryption }, closing)
  } catch (error) {
    await closing.disposeAsync()
    throw error
  }
}

/** Composes the server. `closing` ends everything that was started, in reverse order. */
function compose(
  config: Config,
  context: AppContext & { readonly encryption: Encryption | undefined },
  closing: AsyncDisposableStack,
): App {
  const { log, encryption } = context
  let stopGraceMs = 0
  let isStopping = false
  let ownUrl = ''
  const baseUrl = () => config.publicUrl ?? ownUrl

  const database = openDatabase(join(config.data, 'inferd.db'))
  closing.defer(() => database.close())
  cleanUp(config.data, database, log)
  const stores = openStores({
    ...{ database, newId, clock: Date.now },
    requiresSecondFactor: config.secondFactor === 'staff',
  })
  closing.defer(() => {
    stores.holds.close()
    stores.commits.close()
  })
  const cleaning = cleanRegularly({ database, commits: stores.commits, log, usageKeepDays: config.usageKeepDays })
  closing.defer(() => cleaning.stop())
  requireKey(config, stores)
  const identityProviders = openIdentityProviders(config)
  const pauseDays = [...config.providers].map(([name, { pauseKeysDays }]) => [name, pauseKeysDays] as const)
  stores.identities.admit(Object.fromEntries(pauseDays))
  for (const problem of missingTeams(config, stores.teams)) log.warn({}, problem)

  const catalog = openCatalog(config.data, {
    overrides: { prices: config.prices, settings: config.models },
    onProblem: (problem) => log.warn({}, `model left out: ${problem}`),
  })
  requireRightOverrides(catalog, config.file)
  requireNamedModels(catalog, config)
  const preload = config.preload.map((id) => modelToPreload(catalog, id))
  prepareNvidiaLibraries(config, context)
  const paths = sharedRuntimePaths(config.data)
  const reach = reachOf(config, context)
  const complete = (text: string) => withOwnCommands(text, reach.fromShell)
  const checks = new LoadChecks({ dataDir: config.data, suspectAfterMs: beginRun(config.data) })
  closing.defer(() => checks.close())
  const environment = engineEnvironment(config)
  const spawn = engineSpawn({ command: ownCommand(), environment })
  const backends = new Backends({
    ...{ spawn, runtime: paths, candidates: backendCandidates, facts: machineFacts(environment) },
    missingLibraries: (use) => foundLibraries(config, context).missing[use],
    remembered: {
      recall: (key) => stores.backendProbes.recall(key),
      // Not durable, since a lost record is made again.
      record: (key, devices) =>
        void stores.commits
          .run(() => stores.backendProbes.record(key, devices), { isDurable: false })
          .catch(() => undefined),
    },
    log: (level, message) => log[level]({}, message),
  })
  closing.defer(() => backends.stop())
  const runtime = (device?: DeviceSetting, kind?: EngineKind) => backends.runtime(device, kind)
  const readMemory = memoryReader({
    environment,
    otherDevices: () => askDevices(spawn, runtime),
  })
  const logEngine = neverThrowing(({ modelId, level, message }: EngineLogLine) =>
    log[level]({ model: modelId }, message),
  )
  const restart = Promise.withResolvers<void>()
  const boxId = newId('', 16)
  const upstreamHost = openUpstreamHost({
    ...{
      environment: context.environment,
      boxId,
      clock: systemClock,
      log: logEngine,
      logsText: config.logUpstreamText,
    },
    waitLimitMs: config.queueWaitMs,
  })
  const pool = new EnginePool({
    spawn: sharingCores(spawn, readCpuAllowance()),
    inServer: { upstream: upstreamEngine(upstreamHost) },
    settings: config,
    runtime,
    checkFiles: ({ manifest }, signal) => checkFiles(checks, manifest, { complete, signal }),
    backends,
    pastTokens: (modelId) => stores.usage.latestTokens(modelId, rememberedRequests),
    log: logEngine,
    memory: new ModelMemory({
      version,
      store: stores.measuredMemory,
      dryRuns: stores.dryRuns,
      stepCurves: stores.stepCurves,
      // Not durable, since a lost measurement is made again.
      write: (work) => void stores.commits.run(work, { isDurable: false }).catch(() => undefined),
      readMemory,
    }),
    poolSettings: poolSettings(config),
    promptHandoverMs: config.promptHandoverMs,
    queueWaitMs: config.queueWaitMs,
  })

  const mails = new MailDelivery({
    ...stores,
    tokens: stores.mailTokens,
    send: config.mail === undefined ? undefined : smtpSender(config.mail),
    baseUrl,
    onFailure: (mail, reason) => log.warn({ mail: mail?.id, reason }, 'mail not sent'),
    clock: Date.now,
  })
  closing.defer(() => mails.stop())
  const webhooks = openWebhooks({ config, stores, log }, closing)
  const shipping = openShipping({ config, stores, log, boxId }, closing)
  const recentItems = new RecentItems({ ...recentItemsDefaults, keepMs: config.responseItemsMinutes * 60_000 })
  closing.defer(() => recentItems.clear())

  const spool = new Spool({ folder: spoolFolder(config.data), ...spoolDefaults })
  closing.defer(() => spool.clear())
  const audioDecoder = new AudioDecoder({ spool, parallel: coresOf(readCpuAllowance()) })

  const images = imageReceiver(config, spool)

  const models = modelControl(catalog, pool)
  const endpoints = endpointControl(catalog, upstreamHost.endpoints, complete)
  const server = runningServer(
    {
      ...{ ...context, config, stores, mails, webhooks, shipping, catalog, pool, endpoints, readMemory, complete },
      certificate: () => encryption?.status(),
      // Without probes, since a backend may hang.
      runtime: paths,
      backends: {
        report: () => backends.report(),
        problems: () => backends.problems(),
        tried: () => backends.tried(),
        probe: () => backends.probeAll().finally(() => pool.followBackends()),
      },
      cronReach: reach.fromCron,
      restart: restart.resolve,
      poolSettings: poolSettings(config),
    },
    closing,
  )
  const streams = new EventStreams()
  const live = watchServer({ config, stores, pool, server, endpoints, tail: context.tail }, closing)
  const rates = new RequestRates(() => performance.now())
  recallLastMinute({ stores, rates, clock: Date.now }, performance.now())
  shipping.follow(live.requests, live.metrics)
  if (config.webhooks.length > 0 || shipping.shippers.length > 0)
    watchEvents({ config, stores, pool, server, endpoints, log }, closing)
  const operationServices = {
    stores,
    rates,
    rules: config.accounts,
    identityProviders,
    limits: attemptLimits(),
    mails,
    models,
    endpoints,
    server,
    requests: live.requests,
    onWritten: () => streams.recheck(),
    clock: Date.now,
  }
  const http = createServer({
    config: httpConfig(config, reach.fromShell),
    catalog,
    ...operationServices,
    ggufFiles: new GgufFiles(),
    till: stores.holds,
    rates,
    boxId,
    recentItems,
    uploads: new UploadProgress(),
    streams,
    spool,
    audioDecoder,
    images,
    sounds: soundReceiver(config, spool, audioDecoder),
    documents: documentReceiver(config, spool),
    encryption: encryption?.http,
    share: config.share === 'key' ? sharedModels(config, catalog) : undefined,
    ui: new UiFiles(),
    searching: searchService(config),
    isStopping: () => isStopping,
    live,
    pool,
    log: (line) => logRequest(log, line),
    newId,
  })
  closing.defer(async () => {
    const isOver = http.stop({ force: false }).then(() => true)
    if (!(await within(isOver, stopGraceMs, () => false))) {
      isStopping = true
      await http.stop({ force: true })
    }
    await pool.stop()
    // Interrupted requests release their holds. The next start releases the rest.
    await within(http.drained(), drainWithinMs, () => undefined)
  })
  const isFirstStart = !stores.accounts.hasAny()
  const { url, port, ollamaUrl } = listenEverywhere(http, config, encryption)
  encryption?.follow({
    use: (pair) => http.useCertificate(pair),
    onExpiring: ({ facts: { names, validToMs: expiresMs } }) =>
      stores.events.emit({ type: 'certificate.expiring', host: names[0] ?? config.host, expiresMs }),
  })
  // The wildcard address cannot be opened. localhost works at least on this machine.
  ownUrl = url.replace(/\/\/(0\.0\.0\.0|\[::\])/, '//localhost')
  mails.wake()
  void webhooks.start()
  // After listening, since a failed start would not show the key that it made.
  const firstKey = isFirstStart
    ? makeKey(stores, { accountId: stores.accounts.ensureOperator().id, name: 'first' }, 'system')
    : undefined

  prepareKeylessKey(stores, config.ollamaKeyless)
  if (config.ollamaKeyless) log.warn({}, `ollama-keyless: ${keylessWarning}`)

  const startedAtMs = Date.now()
  const adminUrl = adminBase(config, { host: new URL(url).hostname, port })
  const commandServices = { ...operationServices, version, baseUrl: baseUrl(), adminUrl }
  const control = serveControl(config.data, {
    status: () => ({
      ...{
        pid: process.pid,
        version,
        url,
        localUrl: config.localHttp && encryption !== undefined ? localOrigin({ host: config.host, port }) : url,
        tls: encryption?.status(),
        startedAtMs,
        endpoints: endpoints.list().map(toListedEndpoint),
        ...toListedReport(pool.report()),
      },
      backends: backends.report(),
      backendProblems: backends.problems(),
      models: countModels({ statuses: catalog.entries().map(({ status }) => status.kind), engines: pool.status() }),
    }),
    steps: async () => (await pool.allStats()).flatMap(([modelId, stats]) => modelSteps(modelId, stats) ?? []),
    unload: (modelId, how) => pool.unload(modelId, how),
    log: context.tail,
    perform: (name, request) => perform(commandServices, name, request),
  })
  closing.defer(() => control.stop())
  closing.defer(() => endRun(config.data, Date.now()))

  // Before a model is requested, because the executable unpacks its libraries at its first start.
  backends.locate().catch((error) => log.warn({ err: error }, 'unpacking failed'))
  for (const { manifest, status } of catalog.entries()) {
    if (status.kind === 'broken') log.warn({ model: manifest.id }, `model broken: ${status.reason}`)
  }
  loadAtStart(stores.pinnedModels.list(), preload, { catalog, pool, models, log })
  const preloadedChat = preload.find(({ entry }) => chatTypes.includes(entry.manifest.type))
  return {
    config,
    restarts: restart.promise,
    url,
    ollamaUrl,
    pages: { dashboardUrl: `${baseUrl()}/dashboard`, adminUrl: adminUrl && `${adminUrl}/admin` },
    firstKey,
    makeSetupLink:
      adminUrl === undefined || stores.accounts.hasOperatorPassword()
        ? undefined
        : async () => {
            const caller = { kind: 'operator', actor: 'system', baseUrl: baseUrl(), adminUrl } as const
            const made = await performOperation(operationServices, caller, { name: 'admin-link', input: {} })
            return (made as OperationResult<'admin-link'>).link // of this operation
          },
    exampleModel: preloadedChat?.requestedId ?? firstChatModel(catalog),
    lookForCertificate: encryption && (() => encryption.look()),
    stop: (graceMs) => {
      stopGraceMs = graceMs
      return closing.disposeAsync()
    },
  }
}

/** Listens at all addresses of the settings, and returns the first. */
function listenEverywhere(http: HttpServer, config: Config, encryption: Encryption | undefined) {
  const { host, ollamaPort, localHttp: servesLocalPlainly } = config
  const tls = encryption && { pair: encryption.pair, servesLocalPlainly }
  const { url, port } = listen(http, { host, port: config.port, tls })
  if (encryption !== undefined && servesLocalPlainly) listenOnLoopback(http, { host, port, tls })
  const httpPort = clearPort(config)
  if (httpPort !== undefined) listen(http, { host, port: httpPort, door: 'to-https' })
  const ollama = ollamaPort === undefined ? undefined : listen(http, { host, port: ollamaPort, door: 'ollama', tls })
  return { url, port, ollamaUrl: ollama?.url }
}

function foundLibraries({ data, nvidiaLibraries }: Config, { environment }: AppContext) {
  return findNvidiaLibraries({ dataDir: data, named: nvidiaLibraries, environment })
}

/**
 * Links NVIDIA's libraries before the first engine starts. If this program could use CUDA, logs what is missing for it.
 */
function prepareNvidiaLibraries(config: Config, context: AppContext): void {
  const { environment, log } = context
  const libraries = foundLibraries(config, context)
  try {
    linkLibraries(config.data, libraries.found)
  } catch (error) {
    log.warn({ err: error }, "NVIDIA's libraries cannot be linked")
  }
  const { nvidiaDriver } = readGpuSigns(usualPlaces(environment.LD_LIBRARY_PATH))
  const problem = isShipped(llamaCudaLibrary) ? missingLibraries(nvidiaDriver, libraries) : undefined
  if (problem !== undefined) log.warn({}, `${problem.text}; ${problem.advice}`)
}

/** Returns how commands reach this server: from a shell, and from cron, which has another search path. */
function reachOf(config: Config, { environment }: AppContext) {
  const reach = (programPath?: string) => commandReach(config, shellProgram(ownCommand(), programPath))
  return { fromShell: reach(environment.PATH), fromCron: reach() }
}

/**
 * Throws LoadError if the files of a model are unusable, until they change. Skips upstream models, whose servers have
 * their own files.
 */
async function checkFiles(
  checks: LoadChecks,
  { id, upstream, gpuFiles }: ModelManifest,
  { complete, signal }: { readonly complete: (text: string) => string; readonly signal: AbortSignal },
): Promise<void> {
  const problem = upstream === undefined ? await checks.check(modelIdOf(id), { optional: gpuFiles, signal }) : undefined
  if (problem !== undefined) throw new LoadError('bad-model', complete(problem))
}

function firstChatModel(catalog: Catalog): string | undefined {
  return catalog.entries().find(({ manifest, status }) => chatTypes.includes(manifest.type) && status.kind === 'ready')
    ?.manifest.id
}

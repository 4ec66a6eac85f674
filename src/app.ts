/** Composition root: builds the services, wires them together, starts and stops them in order. */
import { hostname } from 'node:os'
import { join } from 'node:path'
import { shippedAtMs, shippedManifests } from '../models/index.ts'
import { MailDelivery } from './accounts/deliver-mails.ts'
import type { CreatedKey } from './accounts/keys.ts'
import { purgeExpired } from './accounts/purge-expired.ts'
import { renewEmailKeys } from './accounts/renew-email-keys.ts'
import { releaseHolds } from './billing/holds.ts'
import { Catalog, type CatalogOptions, type ResolvedModel } from './catalog/catalog.ts'
import { type Config, version } from './config/config.ts'
import { type ControlServer, serveControl } from './control.ts'
import { newId } from './core/ids.ts'
import { checkFolderOwner } from './db/folder-owner.ts'
import { openDatabase } from './db/open-database.ts'
import { createDataFolder } from './db/private-file.ts'
import { type ServerLock, takeServerLock } from './db/server-lock.ts'
import { EnginePool } from './engines/pool.ts'
import type { RuntimePaths } from './engines/protocol.ts'
import { embeddedFilePath, runtimePaths } from './engines/runtime-paths.ts'
import { engineSpawn } from './engines/spawn-engine.ts'
import { machineNames } from './http/own-host.ts'
import { RecentItems, recentItemsDefaults } from './http/recent-items.ts'
import { createServer, type HttpServer } from './http/server.ts'
import { httpDefaults } from './http/services.ts'
import { installedModel } from './inference/installed-model.ts'
import { listenProblem } from './listen-problem.ts'
import { isLoopback } from './loopback.ts'
import { smtpSender } from './mail/smtp.ts'
import { answerOperation } from './operations/answer-operation.ts'
import { attemptLimits } from './operations/attempt-limits.ts'
import { makeKey } from './operations/keys.ts'
import { sweepSpool } from './spool.ts'
import { openStores, type Stores } from './stores.ts'
import type { Log } from './telemetry/log.ts'
import { logRequest } from './telemetry/request-log.ts'

/** Engines have ended by then; what is left are a few commits. */
const drainWithinMs = 2_000

/** A server that can not start: what is wrong and what to do, for the operator. */
export class StartError extends Error {
  override name = 'StartError'
}

export interface Started {
  /** Scheme, address and port. */
  readonly url: string
  /** Only when this start made the first account. */
  readonly firstKey: CreatedKey | undefined
  /** A model that a first request can name. */
  readonly exampleModel: string | undefined
}

export interface App {
  /** Rejects with StartError (or another error) and leaves nothing running. Call it once. */
  start(): Promise<Started>
  /** Stops accepting, lets open requests end for up to `graceMs`, then ends engines and everything else. */
  stop(graceMs: number): Promise<void>
}

interface Running {
  readonly lock: ServerLock
  database?: ReturnType<typeof openDatabase>
  stores?: Stores
  pool?: EnginePool
  mails?: MailDelivery
  http?: HttpServer
  recentItems?: RecentItems
  control?: ControlServer
}

/** Commands that work without a server hold its lock for some milliseconds. */
const commandGraceMs = 300

/** The catalog of a data folder; also used by commands that run beside the server, without prices of the settings. */
export function openCatalog(
  dataDir: string,
  { prices, onProblem }: Pick<CatalogOptions, 'prices' | 'onProblem'> = {},
): Catalog {
  return new Catalog({
    ...(prices && { prices }),
    ...(onProblem && { onProblem }),
    shipped: shippedManifests,
    shippedAtMs,
    dataDir,
    shippedFile: (path) => embeddedFilePath(dataDir, path),
  })
}

export function createApp(config: Config, log: Log): App {
  let running: Running | undefined
  let isStopping = false
  let unpacking: Promise<RuntimePaths> | undefined

  /** Asked again for each engine: another version may have cleaned up meanwhile. */
  function runtime(): Promise<RuntimePaths> {
    unpacking ??= runtimePaths(config.data).finally(() => {
      unpacking = undefined
    })
    return unpacking
  }

  async function start(): Promise<Started> {
    checkFolderOwner(config.data)
    createDataFolder(config.data)
    const lock = takeServerLock(join(config.data, 'server.lock'), { waitMs: commandGraceMs })
    if (lock === undefined) {
      throw new StartError(`another inferd is serving ${config.data}; stop it or give this one its own --data folder`)
    }
    running = { lock }
    try {
      return compose(running)
    } catch (error) {
      await stop(0)
      throw error
    }
  }

  function compose(parts: Running): Started {
    const database = openDatabase(join(config.data, 'inferd.db'))
    parts.database = database
    cleanUp(database)
    const stores = openStores({ database, newId, clock: Date.now })
    parts.stores = stores
    const { accounts, holds, keys } = stores
    const isFirstStart = !accounts.hasAny()
    if (!isFirstStart && !isLoopback(config.host) && keys.countUsable() === 0) {
      throw new StartError(
        `listening on ${config.host} needs an API key and there is none in force; make one with 'inferd keys create --name NAME'`,
      )
    }
    const catalog = openCatalog(config.data, {
      prices: config.prices,
      onProblem: (problem) => log.warn({}, `model left out: ${problem}`),
    })
    const [priceProblem] = catalog.priceProblems()
    if (priceProblem !== undefined) throw new StartError(`the settings file has wrong prices: ${priceProblem}`)
    const preload = preloadModel(catalog)
    const pool = new EnginePool({
      spawn: engineSpawn({ command: ownCommand(), environment: config.engineEnvironment }),
      settings: config,
      runtime,
      log: ({ modelId, level, message }) => log[level]({ model: modelId }, message),
    })
    parts.pool = pool
    let ownUrl = ''
    const mails = new MailDelivery({
      ...stores,
      tokens: stores.mailTokens,
      send: config.mail === undefined ? undefined : smtpSender(config.mail),
      baseUrl: () => config.publicUrl ?? ownUrl,
      onFailure: (mail, reason) => log.warn({ mail: mail?.id, reason }, 'mail not sent'),
      clock: Date.now,
    })
    parts.mails = mails
    const recentItems = new RecentItems({ ...recentItemsDefaults, keepMs: config.responseItemsMinutes * 60_000 })
    parts.recentItems = recentItems
    const operationServices = {
      stores,
      rules: config.accounts,
      limits: attemptLimits(),
      mails,
      clock: Date.now,
    }
    const http = createServer({
      config: {
        ...httpDefaults,
        version,
        publicUrl: config.publicUrl,
        hostNames: [config.host, ...machineNames(hostname()), ...config.allowedHosts],
        bodyLimitBytes: config.bodyLimitMb * 1024 * 1024,
        idleTimeoutSeconds: config.idleTimeoutSeconds,
        listsOnlyInstalled: config.listModels === 'installed',
        holdTokens: config.holdTokens,
        trustedProxies: config.trustedProxies,
      },
      catalog,
      ...operationServices,
      till: holds,
      recentItems,
      isStopping: () => isStopping,
      pool,
      log: (line) => logRequest(log, line),
      newId,
    })
    parts.http = http
    const url = listen(http)
    // A link to all addresses at once leads nowhere; this one at least works here.
    ownUrl = url.replace(/\/\/(0\.0\.0\.0|\[::\])/, '//localhost')
    mails.wake()
    // After listening: a start that fails must not make a key that nobody gets to see.
    const firstKey = isFirstStart ? makeFirstKey(stores) : undefined
    const startedAtMs = Date.now()
    const operated = { ...operationServices, version, baseUrl: config.publicUrl ?? ownUrl }
    parts.control = serveControl(config.data, {
      status: () => ({ pid: process.pid, version, url, startedAtMs, engines: pool.status() }),
      operate: (name, request) => answerOperation(operated, name, request),
    })
    // While nobody has asked for a model yet: the executable unpacks its libraries on its first start.
    runtime().catch((error) => log.warn({ err: error }, 'unpacking failed'))
    for (const { manifest, status } of catalog.entries()) {
      if (status.kind === 'broken') log.warn({ model: manifest.id }, `model broken: ${status.reason}`)
    }
    if (preload !== undefined) {
      const { manifest } = preload.entry
      pool
        .load(installedModel(preload.entry))
        .catch((error) => log.error({ err: error, model: manifest.id }, 'preload failed'))
    }
    const isChat = preload !== undefined && ['chat', 'vision'].includes(preload.entry.manifest.type)
    return { url, firstKey, exampleModel: isChat ? preload.requestedId : firstChatModel(catalog) }
  }

  /**
   * Mends and deletes what earlier servers left. It comes before `openStores`, after which nothing waits long inside SQLite
   * for another process that keeps the database locked.
   */
  function cleanUp(database: ReturnType<typeof openDatabase>): void {
    for (const conflict of renewEmailKeys(database)) {
      log.warn(
        conflict,
        'two accounts have the same mail address: its owner signs in by it, the other account keeps its keys alone',
      )
    }
    const released = releaseHolds(database)
    if (released > 0) log.warn({ released }, 'gave back what requests held when the server ended unexpectedly')
    purgeExpired(database, Date.now())
    const files = sweepSpool(join(config.data, 'spool'))
    if (files > 0) log.warn({ files }, 'deleted uploads that were left when the server ended unexpectedly')
  }

  function preloadModel(catalog: Catalog): ResolvedModel | undefined {
    const id = config.preload
    if (id === undefined) return undefined
    const resolved = catalog.resolve(id)
    if (resolved === undefined)
      throw new StartError(`there is no model "${id}" to preload; 'inferd list' shows the ids`)
    const { status } = resolved.entry
    if (status.kind === 'ready') return resolved
    const reason = status.kind === 'broken' ? status.reason : 'its files are not on this disk'
    throw new StartError(`model "${id}" can not be preloaded: ${reason}`)
  }

  function listen(http: HttpServer): string {
    try {
      return http.listen({ hostname: config.host, port: config.port }).url
    } catch (error) {
      throw new StartError(listenProblem(error, config))
    }
  }

  async function stop(graceMs: number): Promise<void> {
    const parts = running
    running = undefined
    if (parts === undefined) return
    await parts.control?.stop()
    if (parts.http !== undefined) await stopHttp(parts.http, graceMs)
    await parts.pool?.stop()
    // Whatever was cut off gives back what it held. What does not is given back at the next start.
    if (parts.http !== undefined) await endsWithin(parts.http.drained(), drainWithinMs)
    parts.recentItems?.clear()
    await parts.mails?.stop()
    parts.stores?.commits.close()
    parts.database?.close()
    parts.lock.release()
  }

  async function stopHttp(http: HttpServer, graceMs: number): Promise<void> {
    if (await endsWithin(http.stop({ force: false }), graceMs)) return
    isStopping = true
    await http.stop({ force: true })
  }

  return { start, stop }
}

/** Whether it ended in that time; it goes on if not. */
async function endsWithin(work: Promise<void>, ms: number): Promise<boolean> {
  const { promise: timeOver, resolve } = Promise.withResolvers<false>()
  const timer = setTimeout(() => resolve(false), ms)
  const isOver = await Promise.race([work.then(() => true), timeOver])
  clearTimeout(timer)
  return isOver
}

/** The operator's own account with a key. */
function makeFirstKey(stores: Stores): CreatedKey {
  return makeKey(stores, { accountId: stores.accounts.ensureOperator().id, name: 'first' }, 'system')
}

function firstChatModel(catalog: Catalog): string | undefined {
  return catalog.entries().find(({ manifest, status }) => manifest.type === 'chat' && status.kind === 'ready')?.manifest
    .id
}

/** How this program starts itself: the executable alone, or Bun with the main file in development. */
function ownCommand(): string[] {
  const isCompiled = Bun.main.startsWith('/$bunfs/')
  return isCompiled ? [process.execPath] : [process.execPath, join(import.meta.dir, 'main.ts')]
}

/** Facts and actions that only a running server can offer its operator, besides accounts and engines. */

import { cpus, release, type } from 'node:os'
import { join } from 'node:path'
import type { MailDelivery } from '../accounts/deliver-mails.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { openCatalog } from '../catalog/open-catalog.ts'
import { type Config, version } from '../config/config.ts'
import { settingsReport } from '../config/shown-settings.ts'
import type { ConfigSources } from '../config/sources.ts'
import type { Download } from '../core/download.ts'
import { type CommandReach, ownCommand, shellWord } from '../core/own-commands.ts'
import { usesGpuForSpeech } from '../engines/backends/onnx-candidates.ts'
import type { EnginePool } from '../engines/pool.ts'
import type { RuntimePaths } from '../engines/protocol/backend.ts'
import type { EndpointControl } from '../inference/endpoint-control.ts'
import { DiskModels } from '../library/disk-models.ts'
import { HubSearch } from '../library/hub-search.ts'
import { serverValues } from '../library/model-details.ts'
import { ModelLibrary } from '../library/model-library.ts'
import { PullJobs } from '../library/pull-jobs.ts'
import type { ReadMemory } from '../machine/read-memory.ts'
import type { RunningServer } from '../operations/running-server.ts'
import type { Stores } from '../operations/stores.ts'
import type { PoolSettings } from '../scheduler/settings.ts'
import type { Webhooks } from '../shipping/webhooks/webhooks.ts'
import type { Log } from '../telemetry/log.ts'
import type { LogTail } from '../telemetry/log-tail.ts'
import { BackupFolder } from '../upkeep/backup-folder.ts'
import { backupFolder } from '../upkeep/backup-format.ts'
import { Backups } from '../upkeep/backups.ts'
import { DatabaseCheck } from '../upkeep/database-check.ts'
import { askDatabaseThread } from '../upkeep/database-thread.ts'
import type { DatabaseTask } from '../upkeep/database-worker.ts'
import { withFreshBackup } from '../upkeep/doctor/backup-check.ts'
import { checkFindings } from '../upkeep/doctor/books-check.ts'
import { type DiagnosedMachine, diagnosisText } from '../upkeep/doctor/diagnosis-text.ts'
import { type Diagnosis, examine } from '../upkeep/doctor/doctor.ts'
import type { UsedCertificate } from '../upkeep/doctor/own-certificate-check.ts'
import { usageOfLastDay } from '../upkeep/doctor/usage-check.ts'
import { importProbe } from './import-probe.ts'
import { modelSettings } from './model-settings.ts'
import { priceList } from './price-list.ts'
import { restoresOf } from './restores.ts'
import { settingsFile } from './settings-file.ts'
import type { Shipping } from './ship-records.ts'

interface RunningServerParts {
  readonly config: Config
  /** Variables that name the hub, its token and proxies. */
  readonly environment: ConfigSources['environment']
  /** Flags and environment by which the settings were read. */
  readonly sources: ConfigSources
  readonly log: Log
  readonly tail: LogTail
  readonly stores: Stores
  readonly mails: MailDelivery
  readonly catalog: Catalog
  readonly pool: EnginePool
  readonly backends: RunningServer['backends']
  readonly endpoints: EndpointControl
  readonly webhooks: Webhooks
  readonly shipping: Pick<Shipping, 'shippers'>
  readonly poolSettings: PoolSettings
  readonly readMemory: ReadMemory
  /** Returns the certificate in use. Undefined without TLS. */
  readonly certificate: () => UsedCertificate | undefined
  /** Parts of a command that reaches this server from a shell without a search path. */
  readonly cronReach: CommandReach
  /** Ends the server so that it is started again. */
  readonly restart: () => void
  /** Completes the commands in a text, so that they reach this server from a shell. */
  readonly complete: (text: string) => string
  /** Finds the native libraries. May unpack them. */
  readonly runtime: () => Promise<RuntimePaths>
}

/** Time in which the doctor waits for the check of the database, which then goes on. */
const booksWaitMs = 15_000
/** Time limit of a report. */
const reportLimitMs = 60_000

/** Creates the running server. `closing` ends everything that was started. */
export function runningServer(parts: RunningServerParts, closing: AsyncDisposableStack): RunningServer {
  const { config, log, tail, stores, mails, pool, complete } = parts
  const pulls = new PullJobs({
    ...parts,
    clock: Date.now,
    gpuFilesWish: async () => (usesGpuForSpeech(await parts.backends.tried(), config.device) ? 'useful' : 'no'),
    onChange: (download) => logDownload(log, download),
  })
  closing.defer(() => pulls.stop())
  const library = new ModelLibrary({
    ...parts,
    pulls,
    report: () => pool.report(),
    measured: () => stores.measuredMemory.latest(),
  })
  const hub = new HubSearch({ ...parts, rooms: () => library.rooms() })
  closing.defer(() => hub.stop())
  const folder = new BackupFolder({ path: backupFolder(config) })
  const backups = serverBackups(parts, folder)
  closing.defer(() => backups.stop())
  backups.start()
  const plain = openCatalog(config.data)
  const file = settingsFile({ ...parts, plain })
  let latest: Diagnosis | undefined
  const receivers = receiversOf(parts.shipping)
  const path = databasePath(config)
  let reading: Promise<unknown> = Promise.resolve()
  /** Runs a task in a thread, one after the other. */
  const aside = <Type extends DatabaseTask['type']>(task: Extract<DatabaseTask, { readonly type: Type }>) => {
    const ask = () => askDatabaseThread<Type>(task, AbortSignal.timeout(reportLimitMs))
    const read = reading.then(ask)
    reading = read.catch(() => undefined)
    return read
  }
  const check = new DatabaseCheck({
    read: () => askDatabaseThread({ type: 'check', path }),
    clock: () => performance.now(),
  })
  const doctor = async ({ withCertificate }: { readonly withCertificate: boolean }) => {
    latest = await examine({
      ...{ config, withCertificate, readMemory: parts.readMemory, runtime: parts.runtime },
      ...{ backups: () => backups.status(), backupFolder: folder },
      programPath: parts.environment.PATH,
      complete,
      usageOfDay: stores.sumUsage(usageOfLastDay(Date.now())),
      backends: () => parts.backends.tried(),
      latestEntryMs: stores.audit.list({ limit: 1 })[0]?.createdMs,
      nowMs: Date.now(),
      endpoints: async () => {
        await parts.endpoints.ask()
        return parts.endpoints.list()
      },
      receivers: () => receivers.checked(),
      certificate: async () => parts.certificate(),
      books: async () => checkFindings(await check.state(booksWaitMs), { isServerRunning: true, config }),
    })
    return latest
  }
  return {
    backends: parts.backends,
    backups,
    backupCommand: ownCommand('backup', parts.cronReach),
    restores: restoresOf(parts),
    restart: config.restartStatus === undefined ? undefined : parts.restart,
    restoreCommand: (path) => ownCommand(`restore ${shellWord(path)}`, parts.cronReach),
    doctor,
    // Includes a backup that was made after the check.
    latestDiagnosis: () => latest && withFreshBackup(latest, backups.lastStatus(), { nowMs: Date.now(), complete }),
    diagnosis: async () => diagnosisText(await doctor({ withCertificate: false }), diagnosedMachine(parts)),
    sumUsage: (query) => aside({ type: 'sum-usage', path, query }),
    searchAccounts: (query) => aside({ type: 'search-accounts', path, query }),
    searchAudit: (query) => aside({ type: 'search-audit', path, query }),
    verifyAudit: () => aside({ type: 'verify-audit', path }),
    checkBooks: () => check.report(),
    settings: () => settingsReport(config, { path: file.path, version: file.version(), coming: file.next() }),
    config,
    settingsFile: file,
    prices: priceList({ plain, inForce: () => parts.catalog.overrides, next: () => file.next() }),
    modelSettings: modelSettings({
      ...{ config: serverValues(config), plain },
      isLoaded: (model) => pool.isLoaded(model),
      inFile: () => {
        const next = file.next()
        return typeof next === 'string' ? config.models : next.models
      },
    }),
    log: { level: config.logLevel, lines: () => tail.lines() },
    mail: { sender: config.mail?.from, state: () => mails.state(), test: (address) => mails.test(address) },
    webhooks: parts.webhooks,
    receivers,
    library,
    hub,
    disk: new DiskModels({
      ...{ ...parts, pulls, rooms: () => library.rooms() },
      probe: (signal) => importProbe(config, signal),
    }),
  }
}

function receiversOf({ shippers }: Pick<Shipping, 'shippers'>): RunningServer['receivers'] {
  return {
    states: () => shippers.map((shipper) => shipper.state()),
    checked: () =>
      Promise.all(
        shippers.map(async (shipper) => {
          const problem = await shipper.problem()
          return { ...shipper.state(), problem }
        }),
      ),
  }
}

function logDownload(log: Log, download: Download): void {
  const { model, state } = download
  if (state === 'failed') log.warn({ model, reason: download.error }, 'download failed')
  else log.info({ model, state }, 'download')
}

function serverBackups({ config, log }: RunningServerParts, folder: BackupFolder): Backups {
  const { data: dataDir, file: settingsFile, backupEveryMs: everyMs, backupKeep: keep } = config
  return new Backups({
    ...{ folder, dataDir, everyMs, keep, clock: Date.now },
    write: (target, signal) => {
      const options = { dataDir, settingsFile, target, version, nowMs: Date.now() }
      return askDatabaseThread({ type: 'back-up', ...options }, signal)
    },
    onMade: ({ path, bytes }) => log.info({ path, bytes }, 'backup'),
    onFailure: (reason) => log.warn({ reason }, 'backup failed'),
  })
}

function databasePath({ data }: Config): string {
  return join(data, 'inferd.db')
}

function diagnosedMachine({ config, pool }: RunningServerParts): DiagnosedMachine {
  const processors = cpus()
  return {
    system: `${type()} ${release()}`,
    processor: processors[0]?.model ?? 'unknown processor',
    cores: processors.length,
    uptimeSeconds: process.uptime(),
    dataDir: config.data,
    hostNames: hostNamesOf(config),
    engines: pool.report().engines,
  }
}

/** Returns host names with a domain. Leaves out names of one word, which reveal nothing. */
function hostNamesOf({ mail, publicUrl, allowedHosts }: Config): string[] {
  const names = [mail?.host ?? '', publicUrl === undefined ? '' : new URL(publicUrl).hostname, ...allowedHosts]
  return names.filter((name) => name.includes('.'))
}

/** Puts together what only a running server knows and does for its operator, beside its accounts and engines. */
import type { MailDelivery } from './accounts/deliver-mails.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { Config } from './config/config.ts'
import { settingsReport } from './config/shown-settings.ts'
import type { ConfigSources } from './config/sources.ts'
import type { EnginePool } from './engines/pool.ts'
import { ModelLibrary } from './library/model-library.ts'
import { PullJobs } from './library/pull-jobs.ts'
import type { PullState } from './library/pull-state.ts'
import type { ReadMemory } from './machine/read-memory.ts'
import type { RunningServer } from './operations/running-server.ts'
import type { PoolSettings } from './scheduler/settings.ts'
import type { Stores } from './stores.ts'
import type { Log } from './telemetry/log.ts'
import type { LogTail } from './telemetry/log-tail.ts'

export interface RunningServerParts {
  readonly config: Config
  /** Names the hub, its token and proxies. */
  readonly environment: ConfigSources['environment']
  readonly log: Log
  readonly tail: LogTail
  readonly stores: Stores
  readonly mails: MailDelivery
  readonly catalog: Catalog
  readonly pool: EnginePool
  readonly poolSettings: PoolSettings
  readonly readMemory: ReadMemory
}

/** `closing` ends what was begun. */
export function runningServer(parts: RunningServerParts, closing: AsyncDisposableStack): RunningServer {
  const { config, log, tail, stores, mails, pool } = parts
  const pulls = new PullJobs({ ...parts, clock: Date.now, onChange: (state) => logPull(log, state) })
  closing.defer(() => pulls.stop())
  return {
    settings: () => settingsReport(config),
    log: { level: config.logLevel, lines: () => tail.lines() },
    mail: { sender: config.mail?.from, state: () => mails.state(), test: (address) => mails.test(address) },
    library: new ModelLibrary({
      ...parts,
      pulls,
      report: () => pool.report(),
      measured: () => stores.measuredMemory.latest(),
    }),
  }
}

function logPull(log: Log, { model, state, error }: PullState): void {
  if (state === 'failed') log.warn({ model, reason: error }, 'download failed')
  else log.info({ model, state }, 'download')
}

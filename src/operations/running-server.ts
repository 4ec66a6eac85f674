import type { AccountQuery, ListedAccount } from '../accounts/account-list.ts'
import type { MailServerState } from '../accounts/deliver-mails.ts'
import type { IntegrityReport } from '../billing/integrity.ts'
import type { UsageQuery } from '../billing/usage-report.ts'
import type { Config } from '../config/config.ts'
import type { SettingsReport } from '../config/shown-settings.ts'
import type { EngineKind, ModelType, PriceOverride, Pricing } from '../core/model.ts'
import type { SettingRow, SettingValue } from '../core/setting.ts'
import type { Consumption, UsageReport } from '../core/usage.ts'
import type { AuditVerdict } from '../db/audit-chain.ts'
import type { AuditQuery, AuditRow } from '../db/audit-log.ts'
import type { BackendProblem } from '../engines/backends/backend-words.ts'
import type { JudgedBackend } from '../engines/protocol/backend.ts'
import type { DiskModels } from '../library/disk-models.ts'
import type { HubSearch } from '../library/hub-search.ts'
import type { ModelLibrary } from '../library/model-library.ts'
import type { ShipperState } from '../shipping/shipper.ts'
import type { Webhooks } from '../shipping/webhooks/webhooks.ts'
import type { TailLine } from '../telemetry/log-line.ts'
import type { Backups } from '../upkeep/backups.ts'
import type { Diagnosis } from '../upkeep/doctor/doctor.ts'
import type { CheckedReceiver } from '../upkeep/doctor/receiver-check.ts'
import type { PendingRestore } from '../upkeep/finish-restore.ts'
import type { CheckedBackup } from '../upkeep/restore-backup.ts'
import type { Backup } from '../upkeep/write-backup.ts'

/** Settings file that pages change. */
export interface SettingsFile {
  /** Path, which may not exist yet. */
  readonly path: string
  /** Returns a mark of the file's content, to notice changes by others. */
  version(): string
  /** Returns the settings of the next start, or the reason why it would fail. */
  next(): Config | string
  /**
   * Sets settings to texts as after their flags, or removes them from the file, all or none. Comments, order and form
   * of everything else stay. Returns the new version. Throws OperationError if the next start would refuse the
   * settings, or if the file is not of the given version.
   */
  setSettings(texts: Readonly<Record<string, string | undefined>>, version: string | undefined): Promise<string>
  /** Gives a model these prices and no others, in the same way. */
  setPrices(model: string, texts: PriceTexts, version: string | undefined): Promise<string>
  /** Sets a model's own settings to texts, in the same way. An empty text removes one. */
  setModelSettings(model: string, texts: Readonly<Record<string, string>>, version: string | undefined): Promise<string>
}

/** Setting that a model can have. */
export interface ShownModelSetting {
  readonly name: string
  readonly key: string
  readonly kind: SettingRow['kind']
  /** Allowed words. Undefined for kinds other than a choice. */
  readonly choices: readonly string[] | undefined
  /** Completes "must be …". */
  readonly allowed: string
  readonly help: string
  /** Value in the settings file. Undefined without one. */
  readonly own: SettingValue | undefined
  /** Value without one in the settings file. */
  readonly inherited: SettingValue | undefined
  readonly inheritedFrom: 'manifest' | 'server'
}

/** Settings of single models. */
export interface ModelSettings {
  list(): readonly {
    readonly model: string
    readonly type: ModelType
    readonly engine: EngineKind
    /** True if its files are on this disk. */
    readonly isHere: boolean
    readonly isLoaded: boolean
    /** Settings in the file by their keys. */
    readonly own: Readonly<Record<string, SettingValue>>
  }[]
  /** Throws OperationError if there is no such model. */
  show(model: string): {
    readonly model: string
    readonly engine: EngineKind
    readonly isLoaded: boolean
    readonly settings: readonly ShownModelSetting[]
  }
}

/** Prices of a model by their names in the file, as decimal text in USD. Empty or absent for the model's own. */
export type PriceTexts = Readonly<Partial<Record<'input' | 'cached_input' | 'output' | 'price', string | undefined>>>

/** Prices of a model in nano-USD per unit. */
export type ModelPrices = PriceOverride & {
  /** Cost of a thousand typical requests. */
  readonly thousandNanoUsd: number
}

export interface PriceRow {
  readonly model: string
  readonly type: ModelType
  readonly unit: Pricing['unit']
  /** True if the licence forbids to charge money. */
  readonly isNoncommercial: boolean
  /** Typical request, for showing what prices come to. */
  readonly typical: Partial<Consumption>
  /** The model's own prices. Undefined if it has none: then only unmetered accounts use it. */
  readonly own: ModelPrices | undefined
  readonly inForce: ModelPrices | undefined
  /** Prices at the next start. */
  readonly next: ModelPrices | undefined
  /** True if the settings file has prices for it. */
  readonly isChanged: boolean
  /** True if the next start has other prices than are in force. */
  readonly needsRestart: boolean
}

/** Prices of all models. */
export interface PriceList {
  list(): readonly PriceRow[]
  /** Returns what a thousand typical requests would cost at other prices, or why these are refused. Throws OperationError. */
  tryOut(model: string, texts: PriceTexts): { readonly thousandNanoUsd?: number; readonly problem: string | undefined }
}

/** Backup that was read as a whole. */
export interface CheckedRestore extends CheckedBackup {
  /** Reason why its settings must not be restored by a page. Undefined if nothing is wrong with them. */
  readonly settingsProblem: string | undefined
}

/** Restores of the server's data folder. The files change at the next start. */
export interface Restores {
  /** Backups that operators uploaded. */
  uploaded(): readonly (Backup & { readonly name: string })[]
  /** Returns the size of the largest backup that there is room for. */
  limitBytes(): Promise<number>
  /** Writes an upload to the disk as it arrives. Returns its id. */
  receive(content: AsyncIterable<Uint8Array>): Promise<string>
  /** Checks an upload. Keeps it under a name if it can be restored, and deletes it otherwise. */
  take(upload: string): Promise<CheckedRestore & { readonly name: string; readonly path: string }>
  /** Deletes an uploaded backup. Returns false if there is none of this name. */
  remove(name: string): boolean
  /**
   * Reads and checks a whole backup without changes. Rejects with the reason why it cannot be restored, or if its
   * content has another sum than the given one.
   */
  check(path: string, sum?: string): Promise<CheckedRestore>
  /** Unpacks and checks a backup for the next start, which takes it into use. Rejects if its content has another sum. */
  prepare(path: string, wish: { readonly actor: string; readonly sum: string }): Promise<void>
  /** Returns the restore that waits for the next start. */
  pending(): PendingRestore | undefined
  /** Drops the restore that waits. */
  cancel(): Promise<void>
}

/** Facts and actions that only a running server has, besides its models. */
export interface RunningServer {
  readonly settings: () => SettingsReport
  /** Settings in force. */
  readonly config: Config
  readonly settingsFile: SettingsFile
  readonly prices: PriceList
  readonly modelSettings: ModelSettings
  readonly log: {
    /** Lowest level that is logged. */
    readonly level: string
    lines(): readonly TailLine[]
  }
  readonly mail: {
    /** Sender's address. Undefined without a mail server. */
    readonly sender: string | undefined
    state(): MailServerState
    /** Sends a test mail. Rejects with the mail server's reply. */
    test(address: string): Promise<void>
  }
  readonly webhooks: Pick<Webhooks, 'states' | 'test'>
  readonly receivers: {
    states(): readonly ShipperState[]
    /** Returns the states, each with the reason why the receiver cannot be reached now. */
    checked(): Promise<readonly CheckedReceiver[]>
  }
  readonly library: ModelLibrary
  readonly hub: HubSearch
  readonly disk: DiskModels
  /** Sums usage. Reads of the whole database run in a thread, one at a time, so that the server keeps responding. */
  readonly sumUsage: (query: UsageQuery) => Promise<UsageReport>
  readonly searchAccounts: (query: AccountQuery) => Promise<readonly ListedAccount[]>
  readonly searchAudit: (query: AuditQuery) => Promise<readonly AuditRow[]>
  readonly verifyAudit: () => Promise<AuditVerdict>
  readonly checkBooks: () => Promise<IntegrityReport>
  readonly backends: {
    report(): readonly JudgedBackend[]
    /** Returns problems of backends, and the cards for which this program has no library. */
    problems(): readonly BackendProblem[]
    /** Probes untried backends as a load would. Settles within some seconds. */
    tried(): Promise<readonly JudgedBackend[]>
    /** Probes all backends again. */
    probe(): Promise<readonly JudgedBackend[]>
  }
  readonly backups: Backups
  /** Command that makes a backup, for cron. */
  readonly backupCommand: string
  readonly restores: Restores
  /** Ends the server in order, to be started again. Undefined if it is not known that somebody starts it again. */
  readonly restart: (() => void) | undefined
  /** Returns the command that restores a backup while no server runs. */
  readonly restoreCommand: (path: string) => string
  /** Checks everything. `withCertificate` also asks the public address for its certificate. */
  readonly doctor: (options: { readonly withCertificate: boolean }) => Promise<Diagnosis>
  /** Returns the latest findings; undefined before the first check. */
  readonly latestDiagnosis: () => Diagnosis | undefined
  /** Returns the findings as text to pass on. */
  readonly diagnosis: () => Promise<string>
}

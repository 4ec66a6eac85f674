import type { AccountQuery, ListedAccount } from '../accounts/account-list.ts'
import type { MailServerState } from '../accounts/deliver-mails.ts'
import type { IntegrityReport } from '../billing/integrity.ts'
import type { UsageQuery } from '../billing/usage-report.ts'
import type { SettingsReport } from '../config/shown-settings.ts'
import type { UsageReport } from '../core/usage.ts'
import type { AuditQuery, AuditRow } from '../db/audit-log.ts'
import type { JudgedBackend } from '../engines/backends/backend.ts'
import type { BackendProblem } from '../engines/backends/backend-words.ts'
import type { ModelLibrary } from '../library/model-library.ts'
import type { TailLine } from '../telemetry/log-line.ts'
import type { Backups } from '../upkeep/backups.ts'
import type { Diagnosis } from '../upkeep/doctor/doctor.ts'

/** What only a running server knows and does, beside its models. */
export interface RunningServer {
  readonly settings: () => SettingsReport
  readonly log: {
    /** Least serious line that is written. */
    readonly level: string
    lines(): readonly TailLine[]
  }
  readonly mail: {
    /** Address of the sender; undefined without a mail server. */
    readonly sender: string | undefined
    state(): MailServerState
    /** Rejects with the mail server's words. */
    test(address: string): Promise<void>
  }
  readonly library: ModelLibrary
  /** Reads of the whole database, done by a thread, one at a time: the server has others to serve. */
  readonly sumUsage: (query: UsageQuery) => Promise<UsageReport>
  readonly searchAccounts: (query: AccountQuery) => Promise<readonly ListedAccount[]>
  readonly searchAudit: (query: AuditQuery) => Promise<readonly AuditRow[]>
  readonly checkBooks: () => Promise<IntegrityReport>
  readonly backends: {
    report(): readonly JudgedBackend[]
    /** Problems of backends, and cards that this program has no library for. */
    problems(): readonly BackendProblem[]
    /** Probes what nobody has tried yet, as far as a load would. Settles within some seconds. */
    tried(): Promise<readonly JudgedBackend[]>
    /** Probes all of them again. */
    probe(): Promise<readonly JudgedBackend[]>
  }
  readonly backups: Backups
  /** The command that makes a backup, as cron runs it. */
  readonly backupCommand: string
  /** Checks everything. `withCertificate`: asks the public address for its certificate. */
  readonly doctor: (options: { readonly withCertificate: boolean }) => Promise<Diagnosis>
  /** What was found the last time; undefined before the first. */
  readonly latestDiagnosis: () => Diagnosis | undefined
  /** The same as a text to be handed on. */
  readonly diagnosis: () => Promise<string>
}

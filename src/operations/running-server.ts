import type { AccountQuery, ListedAccount } from '../accounts/account-list.ts'
import type { MailServerState } from '../accounts/deliver-mails.ts'
import type { IntegrityReport } from '../billing/integrity.ts'
import type { UsageQuery } from '../billing/usage-report.ts'
import type { SettingsReport } from '../config/shown-settings.ts'
import type { UsageReport } from '../core/usage.ts'
import type { AuditQuery, AuditRow } from '../db/audit-log.ts'
import type { BackendProblem } from '../engines/backends/backend-words.ts'
import type { JudgedBackend } from '../engines/protocol/backend.ts'
import type { ModelLibrary } from '../library/model-library.ts'
import type { TailLine } from '../telemetry/log-line.ts'
import type { Backups } from '../upkeep/backups.ts'
import type { Diagnosis } from '../upkeep/doctor/doctor.ts'

/** Facts and actions that only a running server has, besides its models. */
export interface RunningServer {
  readonly settings: () => SettingsReport
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
  readonly library: ModelLibrary
  /** Sums usage. Reads of the whole database run in a thread, one at a time, so that the server keeps responding. */
  readonly sumUsage: (query: UsageQuery) => Promise<UsageReport>
  readonly searchAccounts: (query: AccountQuery) => Promise<readonly ListedAccount[]>
  readonly searchAudit: (query: AuditQuery) => Promise<readonly AuditRow[]>
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
  /** Checks everything. `withCertificate` also asks the public address for its certificate. */
  readonly doctor: (options: { readonly withCertificate: boolean }) => Promise<Diagnosis>
  /** Returns the latest findings; undefined before the first check. */
  readonly latestDiagnosis: () => Diagnosis | undefined
  /** Returns the findings as text to pass on. */
  readonly diagnosis: () => Promise<string>
}

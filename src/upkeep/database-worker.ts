/** Program of a thread that reads whole databases, so that the server can answer meanwhile. */
import { type AccountQuery, type ListedAccount, listAccounts } from '../accounts/account-list.ts'
import { checkIntegrity } from '../billing/integrity.ts'
import { sumUsage, type UsageQuery } from '../billing/usage-report.ts'
import { errorText } from '../core/error-text.ts'
import type { UsageReport } from '../core/usage.ts'
import { type AuditVerdict, verifyAudit } from '../db/audit-chain.ts'
import { type AuditQuery, type AuditRow, listAudit } from '../db/audit-log.ts'
import { copyDatabase } from '../db/copy-database.ts'
import { openForReading } from '../db/open-database.ts'
import {
  type CheckedBackup,
  checkBackup,
  prepareRestore,
  type ReadBackup,
  type RestoreOptions,
} from './restore-backup.ts'
import { type Backup, type BackupOptions, writeBackup } from './write-backup.ts'

export type DatabaseTask =
  | ({ readonly type: 'back-up' } & Omit<BackupOptions, 'copyDatabase' | 'signal' | 'disk'>)
  | ({ readonly type: 'check-backup' } & Pick<RestoreOptions, 'path' | 'dataDir' | 'sum'>)
  | ({ readonly type: 'prepare-restore' } & Omit<RestoreOptions, 'disk'>)
  | { readonly type: 'check'; readonly path: string }
  | { readonly type: 'verify-audit'; readonly path: string }
  | { readonly type: 'sum-usage'; readonly path: string; readonly query: UsageQuery }
  | { readonly type: 'search-accounts'; readonly path: string; readonly query: AccountQuery }
  | { readonly type: 'search-audit'; readonly path: string; readonly query: AuditQuery }

/** Result of each task. */
export interface DatabaseResults {
  readonly 'back-up': Backup
  readonly 'check-backup': ReadBackup
  readonly 'prepare-restore': CheckedBackup
  readonly check: ReturnType<typeof checkIntegrity>
  readonly 'verify-audit': AuditVerdict
  readonly 'sum-usage': UsageReport
  readonly 'search-accounts': readonly ListedAccount[]
  readonly 'search-audit': readonly AuditRow[]
}

export type DatabaseAnswer = { readonly result: DatabaseResults[keyof DatabaseResults] } | { readonly problem: string }

type Database = Parameters<typeof checkIntegrity>[0]

declare const self: Worker

self.onmessage = async ({ data }: MessageEvent<DatabaseTask>) => self.postMessage(await answer(data))

async function answer(task: DatabaseTask): Promise<DatabaseAnswer> {
  try {
    return { result: await resultOf(task) }
  } catch (error) {
    return { problem: errorText(error) }
  }
}

function resultOf(task: DatabaseTask) {
  if (task.type === 'back-up') return writeBackup({ ...task, copyDatabase })
  if (task.type === 'check-backup') return checkBackup(task)
  if (task.type === 'prepare-restore') return prepareRestore(task)
  if (task.type === 'check') return reading(task.path, checkIntegrity)
  if (task.type === 'verify-audit') return reading(task.path, (database) => verifyAudit(database))
  if (task.type === 'search-accounts')
    return reading(task.path, (database) => listAccounts(database, Date.now(), task.query))
  if (task.type === 'search-audit') return reading(task.path, (database) => listAudit(database, task.query))
  return reading(task.path, (database) => sumUsage(database, task.query))
}

/** Reads in a transaction, so that it sees one state. */
function reading<Result>(path: string, read: (database: Database) => Result): Result {
  using database = openForReading(path)
  if (database === undefined)
    throw new Error('the database is of an older version; the next start brings it up to date')
  return database.transaction(() => read(database))()
}

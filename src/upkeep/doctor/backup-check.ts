import { dayMs } from '../../core/durations.ts'
import { sizeText } from '../../core/quantities.ts'
import type { BackupStatus } from '../backups.ts'
import type { Finding } from './check.ts'
import type { Diagnosis } from './doctor.ts'

export type ExaminedBackups = Pick<BackupStatus, 'latest' | 'failure' | 'folderProblem' | 'everyMs'>

/** Age above which the latest backup is reported. */
const oldMs = 7 * dayMs

/** Returns a finding on the latest backup. Copies of it are unknown here. */
export function backupFinding({ latest, failure, folderProblem, everyMs }: ExaminedBackups, nowMs: number): Finding {
  if (folderProblem !== undefined)
    return { verdict: 'bad', text: folderProblem, advice: 'mount it again, or name another one by --backup-folder' }
  const advice = "'inferd backup' makes one, --backup-every makes them by itself"
  if (failure !== undefined) return { verdict: 'bad', text: `the last backup failed: ${failure.reason}`, advice }
  if (latest === undefined) return { verdict: 'warn', text: 'there is no backup', advice }
  const ageDays = Math.max(0, Math.floor((nowMs - latest.createdMs) / dayMs))
  const made = ageDays === 0 ? 'made today' : `made ${ageDays} day${ageDays === 1 ? '' : 's'} ago`
  const text = `the latest backup was ${made}, ${sizeText(latest.bytes)}: ${latest.path}`
  const isLate = nowMs - latest.createdMs > Math.max(oldMs, 2 * (everyMs ?? 0))
  return isLate ? { verdict: 'warn', text, advice } : { verdict: 'ok', text }
}

/** Returns the diagnosis with the current state of backups. */
export function withFreshBackup(
  diagnosis: Diagnosis,
  status: ExaminedBackups,
  { nowMs, complete }: { readonly nowMs: number; readonly complete: (text: string) => string },
): Diagnosis {
  const { advice, ...finding } = backupFinding(status, nowMs)
  const fresh = { ...finding, advice: advice && complete(advice) }
  const checks = diagnosis.checks.map((check) => (check.name === 'backup' ? { name: check.name, ...fresh } : check))
  return { ...diagnosis, checks }
}

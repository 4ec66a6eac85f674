/** Schedule of backups and their deletion. Pure. */
import { backupTimeMs } from './backup-format.ts'

interface BackupMoment {
  readonly everyMs: number
  /** Milliseconds UTC. */
  readonly nowMs: number
  /** Creation time of the latest backup by its file name. Backups of the future do not count. */
  readonly latestMs: number | undefined
  /** Time since this process made a backup, or since it started, by a monotonic clock. */
  readonly elapsedMs: number
  /** Time since the last failed backup by the same clock. Undefined if a success followed. */
  readonly sinceFailureMs: number | undefined
}

const retryAfterMs = 15 * 60_000

/**
 * Tolerance for names in the future: two backups in one second get successive names. Later ones were made with a wrong
 * clock.
 */
const aheadMs = 60_000

export function isOfFuture(timeMs: number, nowMs: number): boolean {
  return timeMs > nowMs + aheadMs
}

/** Returns whether a backup is due. A clock that jumps either way may cause an early backup, but delays none. */
export function isBackupDue({ everyMs, nowMs, latestMs, elapsedMs, sinceFailureMs }: BackupMoment): boolean {
  if (sinceFailureMs !== undefined && sinceFailureMs < Math.min(everyMs, retryAfterMs)) return false
  return latestMs === undefined || elapsedMs >= everyMs || nowMs - latestMs >= everyMs
}

/**
 * Returns the backups to delete so that `keep` stay: the one just made and the latest others. Files from the future,
 * made before the clock was corrected, count as the oldest. Files with other names are never returned.
 */
export function surplusBackups(
  names: readonly string[],
  { made, keep, nowMs }: { readonly made: string; readonly keep: number; readonly nowMs: number },
): string[] {
  const age = (name: string) => {
    const timeMs = backupTimeMs(name) ?? 0
    return isOfFuture(timeMs, nowMs) ? Number.NEGATIVE_INFINITY : timeMs
  }
  const others = names.filter((name) => name !== made && backupTimeMs(name) !== undefined)
  // Equal ages, such as backups from the future, stay in the order of their names.
  const latestFirst = others
    .toSorted()
    .toReversed()
    .toSorted((left, right) => age(right) - age(left) || 0)
  return latestFirst.slice(keep - 1)
}

/** When the next backup is made, and which ones go. Pure. */
import { backupTimeMs } from './backup-format.ts'

export interface BackupMoment {
  readonly everyMs: number
  /** Milliseconds UTC. */
  readonly nowMs: number
  /** When the latest backup was made, by its file's name. */
  readonly latestMs: number | undefined
  /** Since this process made one or, before that, since it began, by a clock that never jumps. */
  readonly elapsedMs: number
  /** By the same clock, since the last one failed; undefined where none has failed since. */
  readonly sinceFailureMs: number | undefined
}

const retryAfterMs = 15 * 60_000

/** A clock that jumps ahead makes a backup early; one that jumps back delays none. */
export function isBackupDue({ everyMs, nowMs, latestMs, elapsedMs, sinceFailureMs }: BackupMoment): boolean {
  if (sinceFailureMs !== undefined && sinceFailureMs < Math.min(everyMs, retryAfterMs)) return false
  if (latestMs === undefined) return true
  const isInFuture = latestMs > nowMs
  return elapsedMs >= everyMs || (!isInFuture && nowMs - latestMs >= everyMs)
}

/**
 * The backups that are deleted so that `keep` stay: the one just made and the latest others. Files that seem to be made in the
 * future, before the clock was put right, count as the oldest. Files of other names are never among them.
 */
export function surplusBackups(
  names: readonly string[],
  { made, keep, nowMs }: { readonly made: string; readonly keep: number; readonly nowMs: number },
): string[] {
  const age = (name: string) => {
    const timeMs = backupTimeMs(name) ?? 0
    return timeMs > nowMs ? Number.NEGATIVE_INFINITY : timeMs
  }
  const others = names.filter((name) => name !== made && backupTimeMs(name) !== undefined)
  // Equal ages, as those of the future, stay in the order of their names.
  const latestFirst = others
    .toSorted()
    .toReversed()
    .toSorted((left, right) => age(right) - age(left) || 0)
  return latestFirst.slice(keep - 1)
}

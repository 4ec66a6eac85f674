/** When the next backup is made, and which ones go. Pure. */
import { backupTimeMs } from './backup-format.ts'

export interface BackupMoment {
  readonly everyMs: number
  /** Milliseconds UTC. */
  readonly nowMs: number
  /** When the latest backup was made, by its file's name; those of the future do not count. */
  readonly latestMs: number | undefined
  /** Since this process made one or, before that, since it began, by a clock that never jumps. */
  readonly elapsedMs: number
  /** By the same clock, since the last one failed; undefined where none has failed since. */
  readonly sinceFailureMs: number | undefined
}

const retryAfterMs = 15 * 60_000

/** A minute ahead may be the next free name. More was made while the clock was wrong. */
const aheadMs = 60_000

export function isOfFuture(timeMs: number, nowMs: number): boolean {
  return timeMs > nowMs + aheadMs
}

/** A clock that jumps, either way, makes a backup early and delays none. */
export function isBackupDue({ everyMs, nowMs, latestMs, elapsedMs, sinceFailureMs }: BackupMoment): boolean {
  if (sinceFailureMs !== undefined && sinceFailureMs < Math.min(everyMs, retryAfterMs)) return false
  return latestMs === undefined || elapsedMs >= everyMs || nowMs - latestMs >= everyMs
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
    return isOfFuture(timeMs, nowMs) ? Number.NEGATIVE_INFINITY : timeMs
  }
  const others = names.filter((name) => name !== made && backupTimeMs(name) !== undefined)
  // Equal ages, as those of the future, stay in the order of their names.
  const latestFirst = others
    .toSorted()
    .toReversed()
    .toSorted((left, right) => age(right) - age(left) || 0)
  return latestFirst.slice(keep - 1)
}

/** Backups in a folder. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../core/names-in.ts'
import { backupFileName, backupTimeMs } from './backup-format.ts'
import { isOfFuture } from './backup-schedule.ts'
import type { Backup } from './write-backup.ts'

/** Returns the backups in a folder that this program named, the latest first. */
export function listBackups(folder: string): Backup[] {
  const names = namesIn(folder).filter((name) => backupTimeMs(name) !== undefined)
  return names
    .toSorted()
    .reverse()
    .flatMap((name) => {
      const path = join(folder, name)
      const found = statSync(path, { throwIfNoEntry: false })
      return found === undefined ? [] : [{ path, bytes: found.size, createdMs: backupTimeMs(name) ?? 0 }]
    })
}

/** Returns the latest backup that was not made with a wrong clock. */
export function latestOf(backups: readonly Backup[], nowMs: number): Backup | undefined {
  return backups.find(({ createdMs }) => !isOfFuture(createdMs, nowMs))
}

/** Returns a path that none of the folder's backups has: names differ by the second. */
export function newBackupPath(folder: string, backups: readonly Backup[], nowMs: number): string {
  const path = join(folder, backupFileName(nowMs))
  return backups.some((backup) => backup.path === path) ? newBackupPath(folder, backups, nowMs + 1_000) : path
}

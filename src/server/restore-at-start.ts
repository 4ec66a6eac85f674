/** Restore that an operator's page asked for. It happens at a start, before the database is opened. */
import { errorText } from '../core/error-text.ts'
import type { Log } from '../telemetry/log.ts'
import { finishRestore, hasBegun, pendingRestore } from '../upkeep/finish-restore.ts'

/**
 * Carries out the restore that waits, under the lock of the data folder. Returns whether there was one. If it fails
 * before it has replaced anything, logs the reason and keeps the present state, so that operators reach the pages.
 * Rejects if it was begun and cannot be ended.
 */
export async function restoreIfWanted(dataDir: string, log: Log): Promise<boolean> {
  try {
    const restored = await finishRestore(dataDir, { nowMs: Date.now() })
    if (restored === undefined) return false
    const { name, replaced } = restored
    log.warn({ backup: name, replaced }, 'restored a backup; what it replaced is kept')
    return true
  } catch (error) {
    const pending = pendingRestore(dataDir)
    if (pending === undefined || hasBegun(dataDir, pending)) throw error
    log.error({ reason: errorText(error) }, 'the backup was not restored, and the next start tries again')
    return false
  }
}

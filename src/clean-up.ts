import { purgeExpired, renewEmailKeys } from './accounts/clean-up.ts'
import { releaseHolds } from './billing/holds.ts'
import { spoolFolder } from './configured.ts'
import type { openDatabase } from './db/open-database.ts'
import { sweepSpool } from './spool.ts'
import type { Log } from './telemetry/log.ts'

/**
 * Repairs and deletes what earlier servers left. It comes before `openStores`, after which nothing waits long inside SQLite
 * for another process that keeps the database locked.
 */
export function cleanUp(dataDir: string, database: ReturnType<typeof openDatabase>, log: Log): void {
  for (const conflict of renewEmailKeys(database)) {
    log.warn(
      conflict,
      'two accounts have the same mail address: its owner signs in by it, the other account keeps its keys alone',
    )
  }
  const released = releaseHolds(database)
  if (released > 0) log.warn({ released }, 'gave back what requests held when the server ended unexpectedly')
  purgeExpired(database, Date.now())
  const files = sweepSpool(spoolFolder(dataDir))
  if (files > 0) log.warn({ files }, 'deleted uploads that were left when the server ended unexpectedly')
}

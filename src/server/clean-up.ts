import { purgeExpired, renewEmailKeys } from '../accounts/clean-up.ts'
import { releaseHolds } from '../billing/holds.ts'
import { hourMs } from '../core/durations.ts'
import { newId } from '../core/ids.ts'
import { Erasures } from '../db/erasures.ts'
import type { GroupCommit } from '../db/group-commit.ts'
import type { openDatabase } from '../db/open-database.ts'
import { sweepSpool } from '../spool/spool.ts'
import type { Log } from '../telemetry/log.ts'
import { spoolFolder } from './configured.ts'

const everyMs = hourMs
/** Rows deleted at once from each table, which blocks the server for milliseconds. */
const rowsAtOnce = 500

/**
 * Repairs and deletes what earlier servers left. Call it before `openStores`: afterwards SQLite hardly waits for
 * another process that keeps the database locked.
 */
export function cleanUp(dataDir: string, database: ReturnType<typeof openDatabase>, log: Log): void {
  for (const conflict of renewEmailKeys(database)) {
    log.warn(
      conflict,
      'two accounts have the same mail address: its owner signs in by it, the other account keeps its keys alone',
    )
  }
  const erasures = new Erasures({ database, newId, clock: Date.now })
  const erased = erasures.repeat()
  if (erased.length > 0) log.warn({ erased }, 'erased persons again, whom a restored database still had')
  erasures.compact({ takesTime: true })
  const released = releaseHolds(database)
  if (released > 0) log.warn({ released }, 'gave back what requests held when the server ended unexpectedly')
  while (purgeExpired(database, Date.now(), rowsAtOnce)) {}
  const files = sweepSpool(spoolFolder(dataDir))
  if (files > 0) log.warn({ files }, 'deleted uploads that were left when the server ended unexpectedly')
}

/** Deletes expired rows every hour, until it is stopped. */
export function cleanRegularly(database: ReturnType<typeof openDatabase>, commits: GroupCommit, log: Log) {
  const clean = async () => {
    while (await commits.run(() => purgeExpired(database, Date.now(), rowsAtOnce))) {}
  }
  const timer = setInterval(() => {
    clean().catch((error: unknown) => log.warn({ err: error }, 'what has expired could not be deleted'))
  }, everyMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

import { renewEmailKeys } from '../accounts/renew-email-keys.ts'
import { releaseHolds } from '../billing/holds.ts'
import { hourMs } from '../core/durations.ts'
import { newId } from '../core/ids.ts'
import { Erasures } from '../db/erasures.ts'
import type { GroupCommit } from '../db/group-commit.ts'
import type { openDatabase } from '../db/open-database.ts'
import { purgeExpired } from '../db/retention.ts'
import { sweepSpool } from '../spool/spool.ts'
import type { Log } from '../telemetry/log.ts'
import { spoolFolder } from './configured.ts'

const everyMs = hourMs
/** Rows deleted at once from each table: before the server listens, and while it serves, which blocks it for 10 ms. */
const rowsAtOnce = { atStart: 500, later: 100 } as const
/** Pause between two such deletions, in which the server answers. */
const betweenPartsMs = 50

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
  if (erased.length > 0)
    log.warn({ erased }, 'erased persons whom a restored database still had, or whose erasure was cut off')
  const problem = erasures.settle({ takesTime: true })
  if (problem !== undefined) log.warn({ err: problem }, 'parts of erased persons may be left until the next start')
  const released = releaseHolds(database)
  if (released > 0) log.warn({ released }, 'gave back what requests held when the server ended unexpectedly')
  while (purgeExpired(database, { nowMs: Date.now(), maximumRows: rowsAtOnce.atStart })) {}
  const files = sweepSpool(spoolFolder(dataDir))
  if (files > 0) log.warn({ files }, 'deleted uploads that were left when the server ended unexpectedly')
}

interface RegularCleaning {
  readonly database: ReturnType<typeof openDatabase>
  readonly commits: GroupCommit
  readonly log: Log
  /** Days to keep requests. 0 keeps them for ever. */
  readonly usageKeepDays: number
}

/** Deletes rows that are no longer kept at once and every hour, until it is stopped. Others write between its parts. */
export function cleanRegularly({ database, commits, log, usageKeepDays }: RegularCleaning) {
  let isStopped = false
  const purge = () => purgeExpired(database, { nowMs: Date.now(), maximumRows: rowsAtOnce.later, usageKeepDays })
  const clean = async () => {
    while (!isStopped && (await commits.run(purge))) await Bun.sleep(betweenPartsMs)
  }
  const begin = () =>
    void clean().catch((error: unknown) => {
      if (!isStopped) log.warn({ err: error }, 'what has expired could not be deleted')
    })
  begin()
  const timer = setInterval(begin, everyMs)
  timer.unref()
  return {
    stop: () => {
      isStopped = true
      clearInterval(timer)
    },
  }
}

/** Looks regularly for what the operator's own systems should learn of. */
import type { Config } from '../config/config.ts'
import { secondMs } from '../core/durations.ts'
import { decimalToNano } from '../core/money.ts'
import type { EnginePool } from '../engines/pool.ts'
import type { EndpointControl } from '../inference/endpoint-control.ts'
import { diskRoom } from '../machine/sample-machine.ts'
import type { RunningServer } from '../operations/running-server.ts'
import type { Stores } from '../operations/stores.ts'
import { StandingEvents } from '../shipping/standing-events.ts'
import type { Log } from '../telemetry/log.ts'

const everyMs = 5 * secondMs

interface WatchedParts {
  readonly config: Config
  readonly stores: Stores
  readonly pool: Pick<EnginePool, 'status'>
  readonly server: Pick<RunningServer, 'backups' | 'latestDiagnosis'>
  readonly endpoints: Pick<EndpointControl, 'list'>
  readonly log: Log
}

/** Starts to look every 5 seconds. `closing` ends it. */
export function watchEvents(parts: WatchedParts, closing: AsyncDisposableStack): void {
  const { config, stores, pool, server, endpoints, log } = parts
  const standing = new StandingEvents(stores.events.emit, () => performance.now())
  const limitNanoUsd = decimalToNano(config.balanceLowUsd ?? '0') ?? 0
  const look = async () => {
    if (limitNanoUsd > 0) await emitLowBalances(stores, limitNanoUsd)
    if (stores.limits.isAnySet()) await emitBudgets(stores)
    standing.look({
      models: pool.status(),
      endpoints: endpoints.list(),
      backupFailedMs: server.backups.failure?.atMs,
      disk: await diskRoom(config.data),
      checks: server.latestDiagnosis()?.checks ?? [],
    })
  }
  let isLooking = false
  const lookUnlessLooking = () => {
    if (isLooking) return
    isLooking = true
    look()
      .catch((error: unknown) => log.warn({ err: error }, 'events could not be read'))
      .finally(() => {
        isLooking = false
      })
  }
  // At once, since what happens from now on counts.
  lookUnlessLooking()
  const timer = setInterval(lookUnlessLooking, everyMs)
  timer.unref()
  closing.defer(() => clearInterval(timer))
}

/** Emits an event for each budget that has reached 80 or 100 percent, once in its period. */
export async function emitBudgets({ holds, events }: Pick<Stores, 'holds' | 'events'>): Promise<void> {
  await holds.reportReachedBudgets(({ accountId: account, subject, period, percent, ...budget }) => {
    const { spentNanoUsd, limitNanoUsd: budgetNanoUsd } = budget
    const type = percent === 100 ? 'budget.100' : 'budget.80'
    events.emit({ type, account, subject, period, spentNanoUsd, budgetNanoUsd })
  })
}

const reader = 'low balances'

/** Emits an event for each balance that fell below the limit since the last call, also across restarts. */
export async function emitLowBalances(
  { lowBalances, readPositions, commits, events }: Pick<Stores, 'lowBalances' | 'readPositions' | 'commits' | 'events'>,
  limitNanoUsd: number,
): Promise<void> {
  const until = lowBalances.lastId()
  const after = readPositions.of(reader)
  if (after === until) return
  const low = lowBalances.between({ after: after ?? until, until, limitNanoUsd })
  const report = () => {
    for (const { accountId: account, balanceNanoUsd } of low) {
      events.emit({ type: 'balance.low', account, balanceNanoUsd, limitNanoUsd })
    }
    readPositions.set(reader, until)
  }
  await commits.run(report, { isDurable: false })
}

import type { Download } from '../core/download.ts'
import type { TailLine } from './log-line.ts'
import type { Metrics } from './metrics.ts'
import type { RecentRequests } from './recent-requests.ts'
import type { Telemetry } from './telemetry.ts'

/** Feeds that the operator's pages can follow. */
export interface LiveFeeds {
  readonly telemetry: Telemetry
  readonly requests: RecentRequests
  readonly metrics: Metrics
  /** Downloads. Absent if the server downloads nothing. */
  readonly pulls?:
    | { states(): readonly Download[]; follow(follower: (download: Download) => void): () => void }
    | undefined
  readonly log?: { lines(): readonly TailLine[]; follow(follower: (line: TailLine) => void): () => void } | undefined
  /** Milliseconds UTC. */
  readonly clock: () => number
}

import type { TailLine } from './log-line.ts'
import type { Metrics } from './metrics.ts'
import type { RecentRequests } from './recent-requests.ts'
import type { Telemetry } from './telemetry.ts'

/** A download by the running server. */
export interface LivePull {
  readonly model: string
  readonly state: string
  readonly doneBytes: number
  readonly totalBytes: number
  /** Bytes per second; undefined while nothing flows. */
  readonly rate: number | undefined
  /** Reason for a stall. */
  readonly trouble: string | undefined
  readonly error: string | undefined
}

/** Everything that the operator's pages can follow. */
export interface LiveFeeds {
  readonly telemetry: Telemetry
  readonly requests: RecentRequests
  readonly metrics: Metrics
  /** Absent if the server downloads nothing. */
  readonly pulls?: { states(): readonly LivePull[]; follow(follower: (pull: LivePull) => void): () => void } | undefined
  readonly log?: { lines(): readonly TailLine[]; follow(follower: (line: TailLine) => void): () => void } | undefined
  /** Milliseconds UTC. */
  readonly clock: () => number
}

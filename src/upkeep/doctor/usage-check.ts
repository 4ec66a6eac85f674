import { dayMs } from '../../core/durations.ts'
import type { UsageReport } from '../../core/usage.ts'
import type { Finding } from './check.ts'

/** Fewest requests for which a share is meaningful. */
const fewestRequests = 10
const estimatedShare = 0.1

/**
 * Returns models of whose daily requests many were estimated, because upstream servers do not report usage, or not in
 * time for clients that leave early. Empty if all is well.
 */
export function estimateFindings({ rows }: UsageReport): Finding[] {
  return rows
    .filter(
      ({ requests, estimatedRequests }) => requests >= fewestRequests && estimatedRequests > requests * estimatedShare,
    )
    .map(({ groups, requests, estimatedRequests }) => ({
      verdict: 'warn',
      text: `what ${estimatedRequests} of the last day's ${requests} requests to ${groups[0]?.id ?? 'a model'} used was estimated: no engine counted it`,
      advice: "have its upstream server report usage in streams; see 'Estimated usage' in docs/operations.md",
    }))
}

/** Returns the query of the last day's usage by model. */
export function usageOfLastDay(nowMs: number) {
  return { by: ['model' as const], fromMs: nowMs - dayMs }
}

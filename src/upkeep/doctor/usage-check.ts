import type { UsageReport } from '../../core/usage.ts'
import type { Finding } from './check.ts'

/** Of fewer requests a share says nothing. */
const fewestRequests = 10
const estimatedShare = 0.1

/**
 * Of what models were used for in a day: those of which much was estimated, because their upstream servers do not say what
 * requests used, or not in time for clients that leave early. Nothing where all is well.
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

/** Which usage that is. */
export function usageOfLastDay(nowMs: number) {
  return { by: ['model' as const], fromMs: nowMs - 24 * 60 * 60 * 1000 }
}

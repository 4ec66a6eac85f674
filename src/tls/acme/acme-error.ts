import { dayMs } from '../../core/durations.ts'
import { readRetryAfterMs } from '../../core/retry-after.ts'

/** Refusal or silence of an authority. The message says which. */
export class AcmeError extends Error {
  override name = 'AcmeError'
  /** Problem type without its prefix, such as `rateLimited`. Undefined for a connection that failed. */
  readonly type: string | undefined
  readonly status: number | undefined
  /** Time before which the authority wants no further request, milliseconds. */
  readonly waitMs: number | undefined

  constructor(
    message: string,
    details: { type?: string | undefined; status?: number; waitMs?: number | undefined } = {},
  ) {
    super(message)
    this.type = details.type
    this.status = details.status
    this.waitMs = details.waitMs
  }
}

/** Longest wait that an authority can ask for, after which rate limits of public ones end. */
const longestAskedMs = 7 * dayMs

/** Returns the wait that a `retry-after` header asks for, in whole milliseconds, at most a week. */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  const waitMs = readRetryAfterMs(header, nowMs)
  return waitMs === undefined ? undefined : Math.min(longestAskedMs, waitMs)
}

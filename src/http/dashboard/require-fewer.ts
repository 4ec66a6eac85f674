import { ApiError } from '../../core/errors.ts'
import type { AttemptLimit } from './attempt-limit.ts'

/**
 * Counts an attempt. Throws ApiError 429 `too_many_attempts` when there were enough; `otherWay` goes on from "Try again in …
 * minutes, ".
 */
export function requireFewer(limit: AttemptLimit, key: string, otherWay?: string): void {
  const retryAfterSeconds = limit.take(key)
  if (retryAfterSeconds === undefined) return
  const minutes = Math.ceil(retryAfterSeconds / 60)
  const wait = `${minutes} minute${minutes === 1 ? '' : 's'}${otherWay === undefined ? '' : `, ${otherWay}`}`
  throw new ApiError('rate_limit', `Too many attempts. Try again in ${wait}.`, {
    code: 'too_many_attempts',
    retryAfterSeconds,
  })
}

/** Times to renew a certificate, and to ask an authority again. Pure. */
import { dayMs, hourMs } from '../../core/durations.ts'
import type { CertificateFacts } from '../certificate-pair.ts'
import { AcmeError } from './acme-error.ts'

/** Returns the time to renew without advice: when a third of the life is left, half of a life below ten days. */
export function usualRenewalMs({ validFromMs, validToMs }: CertificateFacts): number {
  const lifeMs = validToMs - validFromMs
  return validToMs - lifeMs / (lifeMs < 10 * dayMs ? 2 : 3)
}

/** Longest time before the end of a certificate that advice can delay a renewal to. */
const latestShare = 1 / 10

/** Returns the moment within an advised window. `share` from 0 to 1 spreads renewals over it. */
export function advisedRenewalMs(
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
  { validFromMs, validToMs }: CertificateFacts,
  share: number,
): number {
  const latestMs = validToMs - (validToMs - validFromMs) * latestShare
  return Math.round(Math.min(startMs + Math.max(0, endMs - startMs) * share, latestMs))
}

/** First wait after a failure, which doubles with each further one. */
const firstWaitMs = 5 * 60_000
const longestWaitMs = 12 * hourMs
/** Wait after a rate limit whose end is not told. */
const limitedWaitMs = hourMs

/** Returns the wait after the failure `count`, counted from 1. A wait that the authority asks for is never shortened. */
export function waitAfterFailureMs(error: unknown, count: number): number {
  const usualMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (count - 1))
  if (!(error instanceof AcmeError)) return usualMs
  const isLimited = error.type === 'rateLimited' || error.status === 429
  return Math.max(usualMs, error.waitMs ?? (isLimited ? limitedWaitMs : 0))
}

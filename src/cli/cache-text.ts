/** KV caches in the words of `inferd ps`. */
import type { CacheReason, ReasonedLayout } from '../core/cache-layout.ts'

const reasons: Readonly<Record<CacheReason, string>> = {
  'request-tokens': 'as set',
  'all-fit': 'every request fits',
  cpu: 'on a CPU',
  'draft-head': 'for its draft head',
  'sliding-window': 'for its sliding window',
  'long-factors': 'for its LongRoPE',
  fastest: 'fastest',
  'long-requests': 'for long requests',
}

/** Returns the layout and the reason for it: "one (on a CPU)", "8 of 4096 tokens (fastest)". */
export function cacheText({ isUnified, sequences, tokensEach, reason }: ReasonedLayout): string {
  return `${isUnified ? 'one' : `${sequences} of ${tokensEach} tokens`} (${reasons[reason]})`
}

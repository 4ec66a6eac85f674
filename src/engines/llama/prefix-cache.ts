/** Which KV sequence a new prompt runs in, and which cached tokens it can start from. Pure decisions. */

export interface CachedSequence {
  /** Tokens whose keys and values the sequence holds. */
  readonly tokens: readonly number[]
  readonly accountId: string | undefined
  /** Belongs to a request that is running. */
  readonly busy: boolean
  /** Step of the last use; smaller is older. */
  readonly lastUsedStep: number
}

export interface PrefixChoice {
  /** Index of the sequence to run in. */
  readonly target: number
  /** Index of the sequence to take the prefix from; may be the target itself, may be busy. */
  readonly source: number
  /** Tokens to keep; 0 means start from nothing. */
  readonly reuse: number
}

export interface PrefixRules {
  /** Prefixes of other accounts may be used too. */
  readonly shareCache: boolean
  /** Sequences can be cut and copied at any position. False for recurrent memory: all or nothing, in place. */
  readonly canCut: boolean
}

/**
 * 1. The source is the sequence that shares the longest prefix with the prompt, among those of the account. At least
 *    one prompt token is always left to decode: its output is the first to sample from.
 * 2. The target is the source itself when it is idle and loses little by being continued: nothing but its own tail
 *    is cut, and that tail is no longer than what is kept.
 * 3. Else the target is the least recently used idle sequence (empty ones first), and the prefix is copied into it,
 *    so that one conversation does not destroy another that begins alike.
 *
 * Undefined when no sequence is idle.
 */
export function choosePrefix(
  sequences: readonly CachedSequence[],
  prompt: ArrayLike<number>,
  accountId: string,
  rules: PrefixRules,
): PrefixChoice | undefined {
  const oldest = leastRecentlyUsedIdle(sequences)
  if (oldest === undefined) return undefined
  let best = { source: oldest, reuse: 0 }
  sequences.forEach((sequence, source) => {
    if (!rules.shareCache && sequence.accountId !== accountId) return
    const shared = Math.min(commonPrefixLength(sequence.tokens, prompt), prompt.length - 1)
    if (!rules.canCut && (sequence.busy || shared < sequence.tokens.length)) return
    if (shared > best.reuse) best = { source, reuse: shared }
  })
  const source = sequences[best.source]
  const lost = (source?.tokens.length ?? 0) - best.reuse
  if (source !== undefined && !source.busy && (best.reuse === 0 || lost <= best.reuse)) {
    return { target: best.reuse === 0 ? oldest : best.source, ...best }
  }
  // In the only idle sequence its own prefix is worth more than nothing.
  return { target: oldest, ...best }
}

/** Index of the idle sequence to give up first, undefined when all are busy. */
export function leastRecentlyUsedIdle(sequences: readonly CachedSequence[]): number | undefined {
  let oldest: number | undefined
  sequences.forEach((sequence, index) => {
    if (sequence.busy) return
    const age = sequence.tokens.length === 0 ? -1 : sequence.lastUsedStep
    const best = oldest === undefined ? undefined : sequences[oldest]
    const bestAge = best === undefined ? Number.POSITIVE_INFINITY : best.tokens.length === 0 ? -1 : best.lastUsedStep
    if (age < bestAge) oldest = index
  })
  return oldest
}

function commonPrefixLength(left: ArrayLike<number>, right: ArrayLike<number>): number {
  const end = Math.min(left.length, right.length)
  let length = 0
  while (length < end && left[length] === right[length]) length++
  return length
}

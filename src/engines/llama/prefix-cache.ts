/** Which cached tokens a new prompt can start from. Pure decisions. */

/** Tokens whose keys and values are held somewhere. */
export interface HeldPrefix {
  readonly tokens: readonly number[]
  readonly accountId: string | undefined
}

export interface PrefixRules {
  /** Prefixes of other accounts may be used too. */
  readonly shareCache: boolean
  /** The end of a sequence can be cut off. False for recurrent memory: it is continued whole or not at all. */
  readonly canCut: boolean
}

export interface PrefixMatch {
  /** Position in the list that was given. */
  readonly index: number
  /** Tokens to keep. */
  readonly reuse: number
}

/**
 * The prefix that shares most tokens with the prompt, of those of the account; undefined when none does. At least one
 * prompt token is always left to decode: its output is the first to sample from.
 */
export function longestPrefix(
  held: readonly HeldPrefix[],
  prompt: ArrayLike<number>,
  accountId: string,
  { shareCache, canCut }: PrefixRules,
): PrefixMatch | undefined {
  let best: PrefixMatch | undefined
  held.forEach((prefix, index) => {
    if (!shareCache && prefix.accountId !== accountId) return
    const reuse = Math.min(commonPrefixLength(prefix.tokens, prompt), prompt.length - 1)
    if (!canCut && reuse < prefix.tokens.length) return
    if (reuse > (best?.reuse ?? 0)) best = { index, reuse }
  })
  return best
}

/**
 * Whether a prompt may run where a prefix lies: what it cuts off there is no longer than what it keeps. Else one
 * conversation would destroy another that only begins alike.
 */
export function mayContinueInPlace(heldTokens: number, reuse: number): boolean {
  return heldTokens - reuse <= reuse
}

export function commonPrefixLength(left: ArrayLike<number>, right: ArrayLike<number>): number {
  const end = Math.min(left.length, right.length)
  let length = 0
  while (length < end && left[length] === right[length]) length++
  return length
}

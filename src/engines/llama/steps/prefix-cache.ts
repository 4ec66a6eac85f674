/** Which cached prefix a new prompt can start from. Pure decisions over units: see `MediaUnits`. */

/** Units whose keys and values are held somewhere. */
export interface HeldPrefix {
  readonly units: readonly number[]
  readonly accountId: string | undefined
  /** Place from which on sliding windows have everything. Asked only where there is a window. */
  readonly windowStart: number
}

export interface PrefixRules {
  /** Prefixes of other accounts may be used too. */
  readonly shareCache: boolean
  /** Recurrent memory cannot be cut: it is continued whole or not at all. */
  readonly isRecurrent: boolean
  /** How many tokens a layer with a sliding window attends to, the token itself included; 0: no layer has one. */
  readonly slidingWindowTokens: number
}

export interface PrefixMatch<Held> {
  readonly held: Held
  /** Units to keep. */
  readonly reuse: number
}

/**
 * The prefix that shares most units with the prompt, of those of the account; undefined when none does. At least one unit
 * of the prompt is always left to decode: its output is the first to sample from.
 */
export function longestPrefix<Held extends HeldPrefix>(
  prefixes: readonly Held[],
  prompt: ArrayLike<number>,
  accountId: string,
  rules: PrefixRules,
): PrefixMatch<Held> | undefined {
  let best: PrefixMatch<Held> | undefined
  for (const held of prefixes) {
    if (!rules.shareCache && held.accountId !== accountId) continue
    const reuse = reusableLength(held.units, prompt)
    if (reuse > (best?.reuse ?? 0) && canContinueFrom(held, reuse, rules)) best = { held, reuse }
  }
  return best
}

/** Whether the memory of a sequence that is cut to `reuse` units is what it was when it had so many. */
function canContinueFrom(held: HeldPrefix, reuse: number, { isRecurrent, slidingWindowTokens }: PrefixRules): boolean {
  if (reuse === held.units.length) return true
  if (isRecurrent) return false
  return slidingWindowTokens === 0 || held.windowStart <= Math.max(0, reuse - slidingWindowTokens + 1)
}

/**
 * Whether a prompt may run where a prefix lies: what it cuts off there is no longer than what it keeps. Else one
 * conversation would destroy another that only begins alike.
 */
export function mayContinueInPlace(heldUnits: number, reuse: number): boolean {
  return heldUnits - reuse <= reuse
}

/** A medium is kept whole or not at all: models attend to all of it at once. */
function reusableLength(held: ArrayLike<number>, prompt: ArrayLike<number>): number {
  const end = Math.min(held.length, prompt.length - 1)
  let length = 0
  while (length < end && held[length] === prompt[length]) length++
  while (length > 0 && isMedium(prompt[length]) && prompt[length - 1] === prompt[length]) length--
  return length
}

function isMedium(unit = 0): boolean {
  return unit < 0
}

/** Hashes that are remembered; those asked for least recently are forgotten first. */
const rememberedHashes = 10_000

/**
 * What cached prompts are compared by: one integer, called a unit, for each place in the KV cache. The unit of a token is
 * its id. Each place of a picture or recording has the same negative unit, which stands for the hash of its bytes. So
 * comparing prompts is comparing integers, with media as without.
 *
 * A unit is never given to another hash. A hash that was forgotten gets a new unit: its medium is computed again.
 */
export class MediaUnits {
  /** Asked for least recently first. */
  readonly #units = new Map<string, number>()
  #last = 0

  unitOf(hash: string): number {
    const unit = this.#units.get(hash) ?? --this.#last
    this.#units.delete(hash)
    this.#units.set(hash, unit)
    if (this.#units.size > rememberedHashes) {
      const [oldest] = this.#units.keys()
      if (oldest !== undefined) this.#units.delete(oldest)
    }
    return unit
  }
}

/** Which cached prefix a new prompt can start from. Pure decisions over units: see `MediaUnits`. */
import { type PromptLayout, positionAt, wholePlaces } from './prompt-layout.ts'

/** Units whose keys and values are held somewhere. */
export interface HeldPrefix {
  readonly units: readonly number[]
  /** Whose it is: an account, or an account with its salt. */
  readonly accountId: string | undefined
  /** Position from which on sliding windows have everything. Asked only where there is a window. */
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
  prompt: PromptLayout,
  accountId: string,
  rules: PrefixRules,
): PrefixMatch<Held> | undefined {
  let best: PrefixMatch<Held> | undefined
  for (const held of prefixes) {
    if (!rules.shareCache && held.accountId !== accountId) continue
    const reuse = reusableLength(held.units, prompt)
    if (reuse > (best?.reuse ?? 0) && canContinueFrom(held, reuse, prompt, rules)) best = { held, reuse }
  }
  return best
}

/** Whether the memory of a sequence that is cut to `reuse` units is what it was when it had so many. */
export function canContinueFrom(
  held: HeldPrefix,
  reuse: number,
  { runs }: Pick<PromptLayout, 'runs'>,
  { isRecurrent, slidingWindowTokens }: PrefixRules,
): boolean {
  if (reuse === held.units.length) return true
  if (isRecurrent) return false
  const next = positionAt(runs, reuse)
  return slidingWindowTokens === 0 || held.windowStart <= Math.max(0, next - slidingWindowTokens + 1)
}

/**
 * Whether a prompt may run where a prefix lies: what it cuts off there is no longer than what it keeps. Else one
 * conversation would destroy another that only begins alike.
 */
export function mayContinueInPlace(heldUnits: number, reuse: number): boolean {
  return heldUnits - reuse <= reuse
}

/** A copy into another cache moves all of that, and plans the next step anew: fewer units are computed again as fast. */
const worthCopyingUnits = 128

/** Tells whether the beginning of a running sequence is copied rather than computed again. In one cache a copy moves nothing. */
export function isWorthCopying(units: number, isUnified: boolean): boolean {
  return isUnified || units >= worthCopyingUnits
}

function reusableLength(held: ArrayLike<number>, { units, runs }: PromptLayout): number {
  const end = Math.min(held.length, units.length - 1)
  let length = 0
  while (length < end && held[length] === units[length]) length++
  return wholePlaces(runs, length)
}

/** Media that are remembered; those asked for least recently are forgotten first. */
const rememberedMedia = 10_000

/**
 * What cached prompts are compared by: one integer, called a unit, for each place in the KV cache. The unit of a token is
 * its id. Each place of a picture, or of a part of one, has the same negative unit, which stands for its key: the hash of the
 * file, the size it is shown in, and the part. So comparing prompts is comparing integers, with media as without.
 *
 * A unit is never given to another key. A key that was forgotten gets a new unit: its medium is computed again.
 */
export class MediaUnits {
  /** Asked for least recently first. */
  readonly #units = new Map<string, number>()
  #last = 0

  unitOf(key: string): number {
    const unit = this.#units.get(key) ?? --this.#last
    this.#units.delete(key)
    this.#units.set(key, unit)
    if (this.#units.size > rememberedMedia) {
      const [oldest] = this.#units.keys()
      if (oldest !== undefined) this.#units.delete(oldest)
    }
    return unit
  }

  /** What a unit stands for; undefined once that is forgotten. */
  keyOf(unit: number): string | undefined {
    for (const [key, each] of this.#units) if (each === unit) return key
    return undefined
  }
}

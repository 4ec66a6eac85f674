/** Choice of the cached prefix that a new prompt starts from. Pure decisions over units: see `MediaUnits`. */
import { type PromptLayout, positionAt, wholePlaces } from './prompt-layout.ts'

/** Units whose keys and values are held somewhere. */
export interface HeldPrefix {
  readonly units: readonly number[]
  /** Owner: an account, or an account with its salt. */
  readonly accountId: string | undefined
  /** First position from which sliding windows are complete. Used only with a window. */
  readonly windowStart: number
}

interface PrefixRules {
  /** True if prefixes of other accounts may be used too. */
  readonly shareCache: boolean
  /** True for recurrent memory, which cannot be cut: it is continued whole or not at all. */
  readonly isRecurrent: boolean
  /** Tokens that a layer with a sliding window attends to, including the token itself. 0 without such layers. */
  readonly slidingWindowTokens: number
}

export interface PrefixMatch<Held> {
  readonly held: Held
  /** Number of units to keep. */
  readonly reuse: number
}

/**
 * Returns the account's prefix that shares most units with the prompt; undefined if none does. At least one unit of the
 * prompt is always left to decode: its output is the first to sample from.
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

/** Returns whether the memory of a sequence cut to `reuse` units equals its earlier state with that many. */
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
 * Returns whether a prompt may replace the rest of a prefix: it cuts off no more than it keeps. Otherwise one
 * conversation would destroy another with the same beginning.
 */
export function mayContinueInPlace(heldUnits: number, reuse: number): boolean {
  return heldUnits - reuse <= reuse
}

/**
 * Least units worth copying. A copy into another cache moves them all and replans the next step: fewer are recomputed
 * as fast.
 */
const worthCopyingUnits = 128

/**
 * Returns whether the beginning of a running sequence is copied, not recomputed. In a unified cache a copy moves
 * nothing.
 */
export function isWorthCopying(units: number, isUnified: boolean): boolean {
  return isUnified || units >= worthCopyingUnits
}

function reusableLength(held: ArrayLike<number>, { units, runs }: PromptLayout): number {
  const end = Math.min(held.length, units.length - 1)
  let length = 0
  while (length < end && held[length] === units[length]) length++
  return wholePlaces(runs, length)
}

/** Number of remembered media. The least recently requested are forgotten first. */
const rememberedMedia = 10_000

/**
 * Integers by which cached prompts are compared, called units, one for each place in the KV cache. The unit of a token
 * is its id. All places of a picture, or of a part of one, share a negative unit for its key: the hash of the file, the
 * size it is shown in, and the part. So prompts with media are compared as integers too.
 * A unit is never given to another key. A forgotten key gets a new unit: its medium is computed again.
 */
export class MediaUnits {
  /** Least recently requested first. */
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

  /** Returns the key of a unit; undefined once it is forgotten. */
  keyOf(unit: number): string | undefined {
    for (const [key, each] of this.#units) if (each === unit) return key
    return undefined
  }
}

/**
 * Prompts that begin alike and come at the same time, as those of agents with one system prompt: one of them computes the
 * beginning, the others wait for it and copy it. All are answered sooner than if each computed it. Pure decisions.
 *
 * An account's requests wait for each other alone: none depends on how fast another account is served.
 */
import { isWorthCopying, longestPrefix } from './prefix-cache.ts'
import type { AwaitedBeginning, Slot } from './slot.ts'

/** For less, a step that the answer takes no part in costs more than it saves. */
const worthAwaitingUnits = 64

/** Rules of a cache whose sequences can be cut anywhere, which all are that share with running ones. */
const anywhere = { shareCache: false, isRecurrent: false, slidingWindowTokens: 0 }

/**
 * Returns the beginning that `slot` does best to wait for; undefined when no running answer will soon have more of its prompt than it
 * has. `isUnified`: all sequences lie in one KV cache.
 */
export function awaitedBeginning(slot: Slot, taken: readonly Slot[], isUnified: boolean): AwaitedBeginning | undefined {
  const running = taken
    .filter((other) => other !== slot && other.isWorking)
    .map((leader) => ({ leader, units: leader.answer.units, accountId: leader.cacheOwner, windowStart: 0 }))
  const match = longestPrefix(running, slot.answer, slot.cacheOwner, anywhere)
  if (match === undefined || match.reuse - slot.answer.decoded < worthAwaitingUnits) return undefined
  const { leader } = match.held
  if (!isWorthCopying(match.reuse, isUnified)) return undefined
  return leader.answer.decoded < match.reuse ? { leader, units: match.reuse } : undefined
}

/** Returns false once it has been computed, and if its leader has ended, has lost its slot or waits itself. */
export function isComing({ leader, units }: AwaitedBeginning, taken: readonly Slot[]): boolean {
  return taken.includes(leader) && leader.isWorking && leader.answer.decoded < units
}

/**
 * Sharing of slots (sequences) between accounts. Pure decisions, one answer at a time.
 * 1. A free slot goes to the waiting account that holds the fewest. So one account alone may hold all of them, and a
 * request with many answers never waits for several free slots at once.
 * 2. Without a free slot, an account that holds at least two more than the waiting one gives up one of them: at once
 * for the first time, but an answer that was parked before has its turn first, unless its prompt is being scored.
 * 3. With more accounts than slots, an account without any slot takes that of an answer that has had its turn.
 */

/** Generated tokens of the shortest turn. */
const shortestTurnTokens = 64
/** Tokens of an answer per additional token of its turn. Parking moves or recomputes all of them. */
const heldTokensPerTurnToken = 16

/** Slot in use. */
export interface SlotHolder {
  readonly accountId: string
  /** True until another slot has decoded the common part of their prompts. Parking it delays no work. */
  readonly waitsForAnother: boolean
  /** Tokens of prompt and answer. */
  readonly tokens: number
  /** Tokens generated since it got this slot. */
  readonly turnTokens: number
  /** True if its slot was given to another account before, and has to be kept for a turn now. */
  readonly wasParked: boolean
}

interface SlotState<Holder extends SlotHolder> {
  readonly hasRoom: boolean
  readonly holders: readonly Holder[]
  /** Accounts with waiting answers, the one that has waited longest for a turn first. */
  readonly waiting: readonly string[]
}

type SlotMove<Holder> =
  | { readonly kind: 'place'; readonly accountId: string }
  | { readonly kind: 'park'; readonly holder: Holder }

/** Returns the next move; undefined if every account has its share. Ask again after each move. */
export function nextSlotMove<Holder extends SlotHolder>(state: SlotState<Holder>): SlotMove<Holder> | undefined {
  const held = Map.groupBy(state.holders, ({ accountId }) => accountId)
  const heldBy = (accountId: string) => held.get(accountId)?.length ?? 0
  const [accountId] = state.waiting.toSorted((one, other) => heldBy(one) - heldBy(other))
  if (accountId === undefined) return undefined
  if (state.hasRoom) return { kind: 'place', accountId }
  const own = heldBy(accountId)
  const mayPark = (holder: Holder) => {
    if (heldBy(holder.accountId) > own + 1) return !holder.wasParked || hasHadTurn(holder)
    return own === 0 && hasHadTurn(holder)
  }
  // The account with the most slots gives way first. Of its answers the first choice is one that waits for another,
  // then the one with the longest turn. Of equal ones the last is parked: the others come to their end.
  const [holder] = state.holders
    .filter(mayPark)
    .reverse()
    .sort(
      (one, other) =>
        heldBy(other.accountId) - heldBy(one.accountId) ||
        Number(other.waitsForAnother) - Number(one.waitsForAnother) ||
        other.turnTokens - one.turnTokens,
    )
  return holder && { kind: 'park', holder }
}

function hasHadTurn({ waitsForAnother, tokens, turnTokens }: SlotHolder): boolean {
  return !waitsForAnother && turnTokens >= shortestTurnTokens + tokens / heldTokensPerTurnToken
}

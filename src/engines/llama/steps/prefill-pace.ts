/**
 * Number of prompt tokens that a step may take while answers wait for it.
 * Each step with few answers wastes most of the cost of a full one, and small pieces of prompts cost more per token. So
 * waiting prompts are computed fast, within limits on the delay of answers.
 * 1. A prompt may delay many answers by 200 ms per step, few answers longer: a prompt waits for its first token all the
 * while.
 * 2. Each further prompt adds as much, up to 1.5 s: they wait for each other too. If several times as many prompts wait
 * as answers are generated, it may be 5 s: a few answers are delayed once instead of many often. Half as much again is
 * taken if it finishes all of them.
 * 3. An account's own answers wait for a piece that is worth its overhead, if it takes no longer than 1.5 s.
 * 4. The prompts of another account count as one, so that an account's many prompts slow down its own answers, not
 * others'.
 * 5. On a CPU attention computes 64 rows or more together, and fewer one by one: with 3,000 tokens in a conversation 40
 * rows took 1.67 s and 64 rows 1.25 s. So 64 tokens replace fewer if that takes hardly longer, and an account's own
 * prompts are finished if fewer than 64 tokens would be left.
 * 6. While the cost of prompts is unknown, as after a change of threads, a small piece measures it.
 */
import type { PromptDemand } from './share-budget.ts'
import type { StepCosts } from './step-costs.ts'

/** Time that a prompt may add between two tokens of many answers. */
const stallMs = 200
/** Weight of a waiting prompt in answers being generated. */
const waitingWeight = 4
const longestStallMs = 1500
/** Longest stall if prompts outnumber answers: this, times the square of prompts per answer, at most `longestFewMs`. */
const crowdedStallMs = 550
const longestFewMs = 5000
/** Share by which finishing all prompts may exceed the allowed time. */
const littleMore = 0.5
/** Least size of an efficient piece, for which an account's own answers wait. */
const usefulTokens = 160
/** Factor by which a whole tile may take longer than fewer rows. */
const hardlyLonger = 1.25
/** Size of the piece that measures the cost of prompts. */
const trialTokens = 64
/** Size below which a piece is mostly overhead on any machine. */
const leastTokens = 32

export interface PrefillLoad {
  /** Prompt tokens for which a step has room. */
  readonly room: number
  /** Rows of a piece, see `StepLimits`. */
  readonly pieceTokens?: number | undefined
  /** Account of each answer that is being generated. */
  readonly answers: readonly string[]
  readonly prompts: readonly PromptDemand[]
  /** Rows of a tile, see `StepLimits`. */
  readonly tileRows: number
}

/**
 * Returns the prompt tokens of the next step. Without running answers it is filled, but with more than a piece only if
 * a prompt that arrives meanwhile does not wait long.
 */
export function prefillTokens(costs: StepCosts, load: PrefillLoad): number {
  const { room, pieceTokens = room, answers, prompts, tileRows } = load
  if (prompts.length === 0) return 0
  if (answers.length === 0) return Math.min(room, Math.max(pieceTokens, costs.promptRowsWithin(stallMs, room)))
  if (costs.estimateMs(0, 1) === 0) return Math.min(room, trialTokens)
  const { allowedMs, isOwn, isAlone } = holdUp(answers, prompts)
  const wanted = prompts.reduce((sum, { tokens }) => sum + tokens, 0)
  if (wanted <= room && costs.estimateMs(0, wanted) <= allowedMs * (1 + littleMore)) return wanted
  const usefulMs = isOwn ? Math.min(longestStallMs, costs.estimateMs(0, usefulTokens)) : 0
  const within = Math.max(leastTokens, costs.promptRowsWithin(Math.max(allowedMs, usefulMs), room))
  const most = Math.min(wanted, room)
  const tileMs = costs.promptMsByLarger(tileRows)
  // An unmeasured tile is tried, but not beside another account's answers.
  const isWorthIt = tileMs === undefined ? isOwn : tileMs <= hardlyLonger * costs.estimateMs(0, within)
  const isTile = within < tileRows && tileRows <= most && isWorthIt
  const tokens = isTile ? tileRows : Math.min(within, most)
  return isAlone && wanted <= room && wanted - tokens < tileRows ? wanted : tokens
}

/**
 * Returns how long prompts may delay answers. `isOwn` means that every account with an answer has a prompt, `isAlone`
 * that all of them are of one account.
 */
function holdUp(answers: readonly string[], prompts: readonly PromptDemand[]) {
  const ofAccount = (accountId: string) => prompts.filter((prompt) => prompt.accountId === accountId).length
  const accounts = new Set(prompts.map(({ accountId }) => accountId))
  const counts = [...new Set(answers)].map((accountId) => ({
    own: ofAccount(accountId),
    others: accounts.size - (accounts.has(accountId) ? 1 : 0),
  }))
  const waiting = Math.min(...counts.map(({ own, others }) => own + others))
  const ratio = waiting / answers.length
  const mostMs = Math.min(longestFewMs, Math.max(longestStallMs, crowdedStallMs * ratio ** 2))
  const allowedMs = Math.min(mostMs, stallMs * waiting * Math.max(1, waitingWeight * ratio))
  const isOwn = counts.every(({ own }) => own > 0)
  return { allowedMs, isOwn, isAlone: isOwn && accounts.size === 1 }
}

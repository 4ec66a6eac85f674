/**
 * How many prompt tokens a step may take while answers wait for it.
 *
 * Each step beside few answers wastes most of what a full one costs, and small pieces of prompts cost more a token. So what waits
 * is computed fast, within bounds of what answers are held up.
 * 1. A prompt may hold up many answers by 200 ms a step, few answers longer: a prompt waits for its first token all the while.
 * 2. Each further prompt adds as much, up to 1.5 s: they wait for each other too. Where several times as many prompts wait as answers
 *    are generated it may be 5 s: a few answers are held up once instead of many often. Half as much again is taken where it
 *    finishes all of them.
 * 3. An account's own answers wait for a piece that is worth its overhead, if it takes no longer than 1.5 s.
 * 4. The prompts of another account count as one, so that an account's many prompts slow down its own answers, not others'.
 * 5. On a CPU attention computes 64 rows or more together, and fewer one by one: with 3,000 tokens in a conversation 40 rows took 1.67 s
 *    and 64 rows 1.25 s. So 64 tokens are taken instead of fewer where that takes hardly longer, and an account's own prompts are finished
 *    where fewer than 64 tokens would be left.
 * 6. Where nothing is known yet of what prompts cost, as with a new number of threads, a small piece shows it.
 */
import type { PromptDemand } from './share-budget.ts'
import type { StepCosts } from './step-costs.ts'

/** What a prompt may add to the time between two tokens of many answers. */
const stallMs = 200
/** A prompt that waits counts as much as so many answers that are being generated. */
const waitingWeight = 4
const longestStallMs = 1500
/** Longest stall where prompts outnumber answers: this, times the square of prompts per answer, at most `longestFewMs`. */
const crowdedStallMs = 550
const longestFewMs = 5000
/** All prompts are finished when that takes no more than this part of the allowed time beyond it. */
const littleMore = 0.5
/** Pieces below this cost more a token, so that an account's own answers wait for as many. */
const usefulTokens = 160
/** Rows that are computed together may take so many times as long as fewer rows. */
const hardlyLonger = 1.25
/** What shows what prompts cost. */
const trialTokens = 64
/** Below this a piece is mostly overhead, on any machine. */
const leastTokens = 32

export interface PrefillLoad {
  /** Prompt tokens for which a step has room. */
  readonly room: number
  /** As in `StepLimits`. */
  readonly pieceTokens?: number | undefined
  /** Accounts of the answers that are being generated, one each. */
  readonly answers: readonly string[]
  readonly prompts: readonly PromptDemand[]
  /** As in `StepLimits`. */
  readonly tileRows: number
}

/**
 * Prompt tokens of the next step. Without an answer in progress there are as many as there is room for; more than a piece only as
 * long as a prompt that comes meanwhile does not wait long.
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
  // Where no tile was measured it is tried, but not beside another account's answers.
  const isWorthIt = tileMs === undefined ? isOwn : tileMs <= hardlyLonger * costs.estimateMs(0, within)
  const isTile = within < tileRows && tileRows <= most && isWorthIt
  const tokens = isTile ? tileRows : Math.min(within, most)
  return isAlone && wanted <= room && wanted - tokens < tileRows ? wanted : tokens
}

/**
 * How long prompts may hold up answers. `isOwn`: every account that has an answer has a prompt. `isAlone`: all of them are of one account.
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

/** Splits a step's token budget over prompts in progress. */

/** Share by which finishing a prompt may exceed its part. */
const littleMore = 0.5
/** Largest share of the first prompt's rest at which another of its account passes it. */
const muchShorter = 0.5
/** Unused share of a step from which further prompts of an account get a part. */
const worthUsing = 0.25

export interface PromptDemand {
  readonly accountId: string
  /** Prompt tokens still to be decoded, > 0. */
  readonly tokens: number
}

export interface StepBudget {
  /** Tokens the step should have for prompts. */
  readonly tokens: number
  /** Most tokens of the step. */
  readonly limit: number
  /** Rotating index of the accounts served first if there are more accounts than tokens. */
  readonly turn: number
}

/**
 * Returns the tokens of each prompt, in the given order.
 * 1. Accounts get equal shares; the unused part of small ones goes to the others. So one account's long prompts delay
 * another's short ones by at most a factor.
 * 2. Within an account prompts are taken whole, first come first served: splitting the share would delay all of them,
 * and pieces of different lengths make the decoder run several times. In every other step much shorter ones precede the
 * first one, the shortest first: a short chat does not wait for a long document, which still gets half of the steps.
 * 3. An account's first prompt may get a part, and another one if much of the step would be unused; if little more
 * would finish it, it gets all.
 */
export function shareBudget(demands: readonly PromptDemand[], { tokens, limit, turn }: StepBudget): number[] {
  const queues = [...Map.groupBy(demands.entries(), ([, { accountId }]) => accountId).values()].map((queue) =>
    turn % 2 === 1 ? shorterFirst(queue) : queue,
  )
  const wanted = queues.map((queue) => queue.reduce((sum, [, demand]) => sum + demand.tokens, 0))
  const shares = fillEqually(wanted, tokens, turn)
  const result = new Array<number>(demands.length).fill(0)
  let spare = limit - tokens
  for (const [account, queue] of queues.entries()) {
    const first = Math.min(...queue.map(([index]) => index))
    let left = shares[account] ?? 0
    for (const [index, { tokens: need }] of queue) {
      if (need > left) {
        if (left === 0 || (index !== first && left < tokens * worthUsing)) break
        const more = need - left
        const finishes = more <= Math.min(spare, left * littleMore)
        result[index] = finishes ? need : left
        if (finishes) spare -= more
        break
      }
      result[index] = need
      left -= need
    }
  }
  return result
}

type Queue = readonly (readonly [index: number, demand: PromptDemand])[]

function shorterFirst(queue: Queue): Queue {
  const [, first] = queue[0] ?? []
  const isShorter = ([, { tokens }]: Queue[number]) => first !== undefined && tokens <= first.tokens * muchShorter
  const shorter = queue.filter(isShorter).toSorted(([, one], [, other]) => one.tokens - other.tokens)
  return [...shorter, ...queue.filter((entry) => !isShorter(entry))]
}

/** Returns equal shares capped by demand. The remainder of a division goes to those whose turn it is. */
function fillEqually(demands: readonly number[], budget: number, turn: number): number[] {
  const shares = new Array<number>(demands.length).fill(0)
  // Indexes rotated by the turn.
  let open = demands.map((_, index) => (index + turn) % demands.length)
  let left = budget
  while (left > 0 && open.length > 0) {
    const share = Math.floor(left / open.length)
    for (const index of open) {
      const room = (demands[index] ?? 0) - (shares[index] ?? 0)
      const given = Math.min(room, Math.max(share, 1), left)
      shares[index] = (shares[index] ?? 0) + given
      left -= given
    }
    open = open.filter((index) => (shares[index] ?? 0) < (demands[index] ?? 0))
  }
  return shares
}

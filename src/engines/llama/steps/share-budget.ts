/** Splits a step's token budget over prompts that are being processed. */

/** A prompt is finished when that takes no more than this part of its share beyond it. */
const littleMore = 0.5
/** A prompt passes the first one of its account if it is at most this part of what is left of that. */
const muchShorter = 0.5
/** A prompt behind others of its account gets a part where at least this part of the step would be left unused. */
const worthUsing = 0.25

export interface PromptDemand {
  readonly accountId: string
  /** Prompt tokens still to be decoded, > 0. */
  readonly tokens: number
}

export interface StepBudget {
  /** Tokens the step should have for prompts. */
  readonly tokens: number
  /** Tokens it may have at most. */
  readonly limit: number
  /** Whose turn it is when there are more accounts than tokens. */
  readonly turn: number
}

/**
 * How many tokens each prompt gets, in the order given.
 * 1. Accounts get equal shares; what the small ones do not need goes to the others. So one account's long prompts delay
 *    another's short ones by at most a factor.
 * 2. Within an account prompts are taken whole, first come first served: to split the share would make all of them late,
 *    and pieces of different lengths make the decoder run several times.
 *    Every other step much shorter ones come before the first one, the shortest of them first: a short chat does not wait for a long
 *    document, which gets half of the steps all the same.
 * 3. An account's first prompt may get a part, and another one where else much of the step would be unused; where little more would
 *    finish it, it gets all.
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

/** Equal shares capped by demand; the remainder of a division goes to those whose turn it is. */
function fillEqually(demands: readonly number[], budget: number, turn: number): number[] {
  const shares = new Array<number>(demands.length).fill(0)
  // Those whose turn it is come first.
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

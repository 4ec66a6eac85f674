/** Splits a step's token budget over prompts that are being processed. */

/** A prompt is finished when that takes no more than this part of its share beyond it. */
const littleMore = 0.5

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
 * 3. Only an account's first prompt may get a part; where little more would finish it, it gets all.
 */
export function shareBudget(demands: readonly PromptDemand[], { tokens, limit, turn }: StepBudget): number[] {
  const accounts = [...new Set(demands.map((demand) => demand.accountId))]
  const members = accounts.map((accountId) =>
    demands.flatMap((demand, index) => (demand.accountId === accountId ? [index] : [])),
  )
  const wanted = members.map((indexes) => sum(indexes.map((index) => demands[index]?.tokens ?? 0)))
  const shares = fillEqually(wanted, tokens, turn)
  const result = new Array<number>(demands.length).fill(0)
  let spare = limit - tokens
  members.forEach((indexes, account) => {
    let left = shares[account] ?? 0
    for (const index of indexes) {
      const need = demands[index]?.tokens ?? 0
      if (need > left) {
        if (index !== indexes[0] || left === 0) break
        const more = need - left
        const finishes = more <= Math.min(spare, left * littleMore)
        result[index] = finishes ? need : left
        if (finishes) spare -= more
        break
      }
      result[index] = need
      left -= need
    }
  })
  return result
}

/** Equal shares capped by demand; the remainder of a division goes to those whose turn it is. */
function fillEqually(demands: readonly number[], budget: number, turn: number): number[] {
  const shares = new Array<number>(demands.length).fill(0)
  let open = demands.map((_, index) => index)
  if (open.length > 0) open = rotate(open, turn % open.length)
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

function rotate<Item>(items: readonly Item[], by: number): Item[] {
  return [...items.slice(by), ...items.slice(0, by)]
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

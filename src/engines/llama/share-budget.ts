/** Splits a step's token budget over prompts that are being processed. */

export interface PromptDemand {
  readonly accountId: string
  /** Prompt tokens still to be decoded, > 0. */
  readonly tokens: number
}

/**
 * How many tokens each prompt gets, in the order given. Accounts get equal shares; what the small ones do not need goes
 * to the others, so one account's long prompts delay another's short ones by at most a factor. Within an account the
 * first prompt comes first: to split its share would make all of them late. When there are more accounts than tokens,
 * `turn` says whose turn it is.
 */
export function shareBudget(demands: readonly PromptDemand[], budget: number, turn: number): number[] {
  const accounts = [...new Set(demands.map((demand) => demand.accountId))]
  const membersOf = (accountId: string) =>
    demands.flatMap((demand, index) => (demand.accountId === accountId ? [index] : []))
  const members = accounts.map(membersOf)
  const wanted = members.map((indexes) => sum(indexes.map((index) => demands[index]?.tokens ?? 0)))
  const shares = fillEqually(wanted, budget, turn)
  const result = new Array<number>(demands.length).fill(0)
  members.forEach((indexes, account) => {
    let left = shares[account] ?? 0
    for (const index of indexes) {
      const given = Math.min(left, demands[index]?.tokens ?? 0)
      result[index] = given
      left -= given
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

/**
 * Assigns turns fairly. Accounts have equal shares of the turns, and so have the requests of one account. A new one
 * starts with as many turns as the one with the fewest, so it neither waits for others nor overtakes them for long.
 */
export class FairTurns<Request> {
  readonly #accounts = new Map<string, Account<Request>>()

  add(accountId: string, request: Request): void {
    const account = this.#accounts.get(accountId) ?? { turns: fewestOf(this.#accounts.values()), requests: new Map() }
    this.#accounts.set(accountId, account)
    account.requests.set(request, { turns: fewestOf(account.requests.values()) })
  }

  /** Removes a request. Unknown ones are ignored. */
  remove(accountId: string, request: Request): void {
    const account = this.#accounts.get(accountId)
    account?.requests.delete(request)
    if (account?.requests.size === 0) this.#accounts.delete(accountId)
  }

  /** Returns the request with the next turn; undefined if there is none. */
  next(): Request | undefined {
    const [, account] = fewest(this.#accounts) ?? []
    const [request, counted] = (account && fewest(account.requests)) ?? []
    if (account === undefined || counted === undefined) return undefined
    account.turns += 1
    counted.turns += 1
    return request
  }
}

interface Counted {
  turns: number
}

interface Account<Request> extends Counted {
  readonly requests: Map<Request, Counted>
}

function fewestOf(all: Iterable<Counted>): number {
  const turns = Array.from(all, (counted) => counted.turns)
  return turns.length === 0 ? 0 : Math.min(...turns)
}

/** Returns the entry with the fewest turns, the first of equals. */
function fewest<Key, Value extends Counted>(all: ReadonlyMap<Key, Value>): readonly [Key, Value] | undefined {
  let found: readonly [Key, Value] | undefined
  for (const entry of all) if (found === undefined || entry[1].turns < found[1].turns) found = entry
  return found
}

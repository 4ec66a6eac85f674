interface Waiting<Item> {
  readonly item: Item
  readonly account: Account<Item>
  cost: number
  /** Virtual time at which it began to wait. */
  since: number
}

interface Account<Item> {
  /** Virtual time at which its last served item would be done if all accounts were served in parallel. */
  served: number
  /** In the order of their turns. */
  readonly waiting: Set<Waiting<Item>>
}

/** Item whose turn it is. */
export interface Turn<Item> {
  readonly item: Item
  /** Serves a part of the item: it goes on waiting, behind the others of its account. `nextCost` is the cost of its next part. */
  serve(cost: number, nextCost: number): void
}

/** Items that come before others of their accounts. */
export interface Urgency<Item> {
  readonly isUrgent: (item: Item) => boolean
  /** Cost by which the account of an urgent item may be ahead of the account that was served least. */
  readonly lead: number
}

/**
 * Queue with turns among accounts by weighted fair queueing: each gets an equal share of the work, measured by cost. A
 * cheap item of a modest account is soon next, whatever others have waiting.
 */
export class WeightedFairQueue<Item> {
  /** Accounts that have something waiting, or were served more than their share. */
  readonly #accounts = new Map<string, Account<Item>>()
  /** Virtual time: served cost divided by the accounts that share it. */
  #virtualTime = 0
  #size = 0
  /** Accounts that have something waiting. */
  #active = 0

  get size(): number {
    return this.#size
  }

  /** Adds an item. Returns a function that removes it. `cost` is in any unit, the same for all. */
  add(accountId: string, cost: number, item: Item): () => void {
    const account = this.#accounts.getOrInsertComputed(accountId, () => ({ served: 0, waiting: new Set() }))
    const waiting = { item, account, cost, since: this.#virtualTime }
    if (account.waiting.size === 0) this.#active++
    account.waiting.add(waiting)
    this.#size++
    return () => this.#remove(waiting)
  }

  /** Removes and returns the next allowed item; undefined if there is none. */
  take(isAllowed: (item: Item) => boolean = () => true): Item | undefined {
    const next = this.#first(isAllowed)
    if (next === undefined) return undefined
    this.#charge(next, next.cost)
    this.#remove(next)
    return next.item
  }

  /** Yields the items in the order of their turns: one that is served comes again. An urgent one, if there is any, comes first of all. */
  *turns(urgency?: Urgency<Item>): Generator<Turn<Item>> {
    const urgent = urgency && this.#urgent(urgency)
    if (urgent !== undefined) yield this.#turnOf(urgent)
    const heads = [...this.#accounts.values()].map(({ waiting }) => ({ rest: waiting.values(), head: nothing<Item>() }))
    for (;;) {
      let next: (typeof heads)[number] | undefined
      let least = Number.POSITIVE_INFINITY
      for (const each of heads) {
        each.head ??= each.rest.next().value
        const finish = each.head === undefined ? least : finishOf(each.head)
        if (finish < least) [next, least] = [each, finish]
      }
      if (next?.head === undefined) return
      const turn = this.#turnOf(next.head)
      next.head = undefined
      yield turn
    }
  }

  #turnOf(waiting: Waiting<Item>): Turn<Item> {
    return {
      item: waiting.item,
      serve: (cost, nextCost) => {
        this.#charge(waiting, cost)
        waiting.cost = nextCost
        waiting.since = this.#virtualTime
        waiting.account.waiting.delete(waiting)
        waiting.account.waiting.add(waiting)
      },
    }
  }

  #urgent({ isUrgent, lead }: Urgency<Item>): Waiting<Item> | undefined {
    const [first, urgent] = [this.#first(() => true), this.#first(isUrgent)]
    return first !== undefined && urgent !== undefined && finishOf(urgent) <= finishOf(first) + lead
      ? urgent
      : undefined
  }

  #first(isAllowed: (item: Item) => boolean): Waiting<Item> | undefined {
    let next: Waiting<Item> | undefined
    for (const [accountId, { waiting, served }] of this.#accounts) {
      if (waiting.size === 0 && served <= this.#virtualTime) this.#accounts.delete(accountId)
      for (const each of waiting) {
        if (!isAllowed(each.item)) continue
        if (next === undefined || finishOf(each) < finishOf(next)) next = each
        break
      }
    }
    return next
  }

  #charge(waiting: Waiting<Item>, cost: number): void {
    waiting.account.served = Math.max(waiting.account.served, waiting.since) + cost
    this.#virtualTime += cost / this.#active
  }

  #remove(waiting: Waiting<Item>): void {
    const { account } = waiting
    if (!account.waiting.delete(waiting)) return
    this.#size--
    if (account.waiting.size === 0) this.#active--
    if (this.#size === 0) this.#accounts.clear()
  }
}

function nothing<Item>(): Waiting<Item> | undefined {
  return undefined
}

/** Returns the virtual time at which it would be done if all accounts were served in parallel. */
function finishOf<Item>({ account, since, cost }: Waiting<Item>): number {
  return Math.max(account.served, since) + cost
}

interface Waiting<Item> {
  readonly item: Item
  readonly account: Account<Item>
  cost: number
  /** Virtual time at which it began to wait. */
  since: number
  /** True if it comes before all others. */
  readonly isNext?: boolean
}

interface Account<Item> {
  readonly id: string
  /** Virtual time at which its last served item would end if all accounts were served in parallel. */
  served: number
  /** Items that wait, in the order of their turns. */
  readonly waiting: Set<Waiting<Item>>
}

/** Item whose turn it is. */
interface Turn<Item> {
  readonly item: Item
  /**
   * Serves a part of the item. The rest waits on, behind the account's other items. `nextCost`: cost of the next part.
   */
  serve(cost: number, nextCost: number): void
}

/** Rule for urgent items, which come first unless their account is too far ahead. */
interface Urgency<Item> {
  readonly isUrgent: (item: Item) => boolean
  /** Cost that an urgent item's account may have been served beyond the account served least. */
  readonly lead: number
}

/**
 * Queue with turns among accounts by weighted fair queueing: each account gets an equal share of the work, measured by
 * cost. A cheap item of an account that was served little comes soon, however much others have waiting.
 */
export class WeightedFairQueue<Item> {
  /** Accounts that have waiting items, or were served more than their share. */
  readonly #accounts = new Map<string, Account<Item>>()
  /** Virtual time: served cost divided by the accounts that share it. */
  #virtualTime = 0
  /** Account of the last turn. On a tie, the other account goes first. */
  #lastId: string | undefined
  #size = 0
  /** Number of accounts with waiting items. */
  #active = 0

  get size(): number {
    return this.#size
  }

  /** Returns the accounts with waiting items, in the order of their turns. */
  accounts(): string[] {
    const heads = [...this.#accounts.values()].flatMap(({ waiting }) => waiting.values().next().value ?? [])
    const order = (one: Waiting<Item>, other: Waiting<Item>) =>
      Number(this.#isBefore(other, one)) - Number(this.#isBefore(one, other))
    return heads.sort(order).map(({ account }) => account.id)
  }

  /** Adds an item. Returns a function that removes it. `cost` may be in any unit, the same for all items. */
  add(accountId: string, cost: number, item: Item): () => void {
    const waiting = { item, account: this.#accountOf(accountId), cost, since: this.#virtualTime }
    return this.#join(waiting)
  }

  /**
   * Puts a taken item back, as the next of its account. With a cost, the account pays for another turn and others go
   * first. Without, the item was taken too early and comes before all others.
   */
  putBack(accountId: string, item: Item, cost?: number): () => void {
    const account = this.#accountOf(accountId)
    const later = [...account.waiting]
    const leave = this.#join({ item, account, cost: cost ?? 0, since: this.#virtualTime, isNext: cost === undefined })
    for (const each of later) {
      account.waiting.delete(each)
      account.waiting.add(each)
    }
    if (cost !== undefined) this.#lastId = accountId
    return leave
  }

  /** Removes and returns the next allowed item; undefined if there is none. */
  take(isAllowed: (item: Item) => boolean = () => true): Item | undefined {
    return this.#serve(this.#first(isAllowed))
  }

  /** Removes and returns the next item of an account, even out of turn; undefined if there is none. */
  takeFrom(accountId: string): Item | undefined {
    return this.#serve(this.#accounts.get(accountId)?.waiting.values().next().value)
  }

  /** Yields the items in the order of their turns, partly served ones again. An urgent item comes first. */
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

  #accountOf(id: string): Account<Item> {
    return this.#accounts.getOrInsertComputed(id, () => ({ id, served: 0, waiting: new Set() }))
  }

  #join(waiting: Waiting<Item>): () => void {
    if (waiting.account.waiting.size === 0) this.#active++
    waiting.account.waiting.add(waiting)
    this.#size++
    return () => this.#remove(waiting)
  }

  #serve(next: Waiting<Item> | undefined): Item | undefined {
    if (next === undefined) return undefined
    this.#charge(next, next.cost)
    this.#remove(next)
    return next.item
  }

  #isBefore(one: Waiting<Item>, other: Waiting<Item>): boolean {
    const [finish, otherFinish] = [finishOf(one), finishOf(other)]
    return finish < otherFinish || (finish === otherFinish && other.account.id === this.#lastId)
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
        if (next === undefined || this.#isBefore(each, next)) next = each
        break
      }
    }
    return next
  }

  #charge(waiting: Waiting<Item>, cost: number): void {
    waiting.account.served = Math.max(waiting.account.served, waiting.since) + cost
    this.#virtualTime += cost / this.#active
    this.#lastId = waiting.account.id
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

/** Returns the virtual time at which an item would end if all accounts were served in parallel. */
function finishOf<Item>({ account, since, cost, isNext = false }: Waiting<Item>): number {
  return isNext ? Number.NEGATIVE_INFINITY : Math.max(account.served, since) + cost
}

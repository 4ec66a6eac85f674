interface Waiting<Item> {
  readonly item: Item
  readonly account: string
  readonly cost: number
  /** Virtual time at which it would be done if all accounts were served in parallel. */
  readonly finish: number
}

/**
 * Queue with turns among accounts by weighted fair queueing: each gets an equal share of the work, measured by cost. A
 * cheap item of a modest account is soon next, whatever others have waiting.
 */
export class WeightedFairQueue<Item> {
  readonly #waiting = new Set<Waiting<Item>>()
  /** Virtual time at which the last item of each account would be done. */
  readonly #finishes = new Map<string, number>()
  /** Virtual time: served cost divided by the accounts that share it. */
  #virtualTime = 0

  get size(): number {
    return this.#waiting.size
  }

  /** Adds an item. Returns a function that removes it. `cost` is in any unit, the same for all. */
  add(account: string, cost: number, item: Item): () => void {
    const finish = Math.max(this.#virtualTime, this.#finishes.get(account) ?? 0) + cost
    this.#finishes.set(account, finish)
    const waiting = { item, account, cost, finish }
    this.#waiting.add(waiting)
    return () => this.#remove(waiting)
  }

  /** Removes and returns the next allowed item; undefined if there is none. */
  take(isAllowed: (item: Item) => boolean = () => true): Item | undefined {
    let next: Waiting<Item> | undefined
    for (const waiting of this.#waiting) {
      if ((next === undefined || waiting.finish < next.finish) && isAllowed(waiting.item)) next = waiting
    }
    if (next === undefined) return undefined
    const accounts = new Set([...this.#waiting].map(({ account }) => account)).size
    this.#virtualTime += next.cost / accounts
    this.#remove(next)
    return next.item
  }

  #remove(waiting: Waiting<Item>): void {
    this.#waiting.delete(waiting)
    if (this.#waiting.size > 0) return
    this.#finishes.clear()
    this.#virtualTime = 0
  }
}

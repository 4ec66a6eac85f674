interface Waiting<Item> {
  readonly item: Item
  readonly account: string
  readonly cost: number
  /** Virtual time at which it would be done if all accounts were served side by side. */
  readonly finish: number
}

/**
 * Whose turn it is among accounts, by weighted fair queueing: each gets an equal share of the work, measured by cost. So
 * whatever others have waiting, a cheap item of an account that asks for little is soon next.
 */
export class WeightedFairQueue<Item> {
  readonly #waiting = new Set<Waiting<Item>>()
  /** Virtual time at which the last item of each account would be done. */
  readonly #finishes = new Map<string, number>()
  /** Grows by what is served, divided by the accounts that share it. */
  #virtualTime = 0

  get size(): number {
    return this.#waiting.size
  }

  /** Returns how to take it out again. `cost` is in any unit, the same for all. */
  add(account: string, cost: number, item: Item): () => void {
    const finish = Math.max(this.#virtualTime, this.#finishes.get(account) ?? 0) + cost
    this.#finishes.set(account, finish)
    const waiting = { item, account, cost, finish }
    this.#waiting.add(waiting)
    return () => this.#remove(waiting)
  }

  /** The next of those items that are allowed; undefined where there is none. */
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

/** Accounts whose last turn is remembered; those served least recently are forgotten first. */
const rememberedAccounts = 1000

/** Waiting work, first come first served within an account and in turn over accounts. */
export class FairQueue<Item> {
  readonly #byAccount = new Map<string, Item[]>()
  /** Number of servings at each account's last one, the oldest first. */
  readonly #lastServed = new Map<string, number>()
  #servings = 0

  get size(): number {
    let size = 0
    for (const items of this.#byAccount.values()) size += items.length
    return size
  }

  push(accountId: string, item: Item): void {
    const items = this.#byAccount.get(accountId)
    if (items === undefined) this.#byAccount.set(accountId, [item])
    else items.push(item)
  }

  /** Puts work back that was taken too early: it is its account's next, and its account is next. */
  unshift(accountId: string, item: Item): void {
    this.giveBack(accountId, item)
    this.#lastServed.set(accountId, -1)
  }

  /** Puts work back that has had a turn: it is its account's next, but other accounts have theirs first. */
  giveBack(accountId: string, item: Item): void {
    this.#byAccount.set(accountId, [item, ...(this.#byAccount.get(accountId) ?? [])])
    this.#noteServed(accountId)
  }

  /** Accounts with work: served least recently first; among the never served the first to come. */
  accounts(): string[] {
    const served = (accountId: string) => this.#lastServed.get(accountId) ?? 0
    return [...this.#byAccount.keys()].sort((one, other) => served(one) - served(other))
  }

  /** Takes the next item of the account, or of the one that has waited longest for a turn. */
  shift(accountId = this.accounts()[0]): Item | undefined {
    if (accountId === undefined) return undefined
    const items = this.#byAccount.get(accountId) ?? []
    const item = items.shift()
    if (items.length === 0) this.#byAccount.delete(accountId)
    this.#noteServed(accountId)
    return item
  }

  /** Removes matching items. Returns whether there were any. */
  remove(matches: (item: Item) => boolean): boolean {
    const before = this.size
    for (const [accountId, items] of this.#byAccount) {
      const kept = items.filter((item) => !matches(item))
      if (kept.length === 0) this.#byAccount.delete(accountId)
      else this.#byAccount.set(accountId, kept)
    }
    return this.size < before
  }

  #noteServed(accountId: string): void {
    this.#servings++
    this.#lastServed.delete(accountId)
    this.#lastServed.set(accountId, this.#servings)
    if (this.#lastServed.size <= rememberedAccounts) return
    const [oldest] = this.#lastServed.keys()
    if (oldest !== undefined) this.#lastServed.delete(oldest)
  }
}

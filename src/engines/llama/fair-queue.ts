/** Waiting work, first come first served within an account and round-robin over accounts. */
export class FairQueue<Item> {
  /** Insertion order is the turn order: an account that was served moves to the end. */
  readonly #byAccount = new Map<string, Item[]>()

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
    const items = this.#byAccount.get(accountId) ?? []
    const others = [...this.#byAccount].filter(([id]) => id !== accountId)
    this.#byAccount.clear()
    this.#byAccount.set(accountId, [item, ...items])
    for (const [id, waiting] of others) this.#byAccount.set(id, waiting)
  }

  /** The item whose turn it is, left in place. */
  peek(): Item | undefined {
    for (const items of this.#byAccount.values()) return items[0]
    return undefined
  }

  /** Takes the item that `peek` shows; the next account's turn follows. */
  shift(): Item | undefined {
    for (const [accountId, items] of this.#byAccount) {
      const item = items.shift()
      this.#byAccount.delete(accountId)
      if (items.length > 0) this.#byAccount.set(accountId, items)
      return item
    }
    return undefined
  }

  remove(matches: (item: Item) => boolean): void {
    for (const [accountId, items] of this.#byAccount) {
      const kept = items.filter((item) => !matches(item))
      if (kept.length === 0) this.#byAccount.delete(accountId)
      else this.#byAccount.set(accountId, kept)
    }
  }
}

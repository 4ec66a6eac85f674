export interface RecentCacheOptions {
  /** Time after which unused values are forgotten. 0 keeps none. */
  readonly keepMs: number
  readonly bytesPerAccount: number
  readonly bytes: number
  /** Monotonic clock in milliseconds. */
  readonly clock: () => number
}

interface Entry<Value> {
  readonly accountId: string
  readonly value: Value
  readonly bytes: number
  readonly usedAtMs: number
}

interface Account {
  /** Keys of its values, least recently used first. */
  readonly keys: Set<string>
  bytes: number
}

/**
 * Values that accounts used lately, in memory alone. Beyond its limit an account loses the values that it used least
 * recently. Beyond the limit of all, the account with the most bytes does.
 */
export class RecentCache<Value> {
  readonly #options: RecentCacheOptions
  /** Entries by key, least recently used first. */
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #accounts = new Map<string, Account>()
  #bytes = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: RecentCacheOptions) {
    this.#options = options
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.#bytes
  }

  /** Keeps a value, which counts so many bytes, unless it exceeds the account's limit alone. */
  keep(key: string, accountId: string, value: Value, bytes: number): void {
    const { keepMs, bytesPerAccount, bytes: limit, clock } = this.#options
    if (keepMs === 0 || bytes > bytesPerAccount) return
    this.#forget(key)
    const own = this.#add(key, { accountId, value, bytes, usedAtMs: clock() })
    while (own.bytes > bytesPerAccount) this.#forgetFirstOf(own)
    while (this.#bytes > limit) this.#forgetFirstOf(this.#largestAccount())
    this.#forgetLater()
  }

  /** Returns the value kept under the key and counts that as use. */
  find(key: string): Value | undefined {
    this.#forgetUnused()
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#forget(key)
    this.#add(key, { ...entry, usedAtMs: this.#options.clock() })
    return entry.value
  }

  /** Forgets everything. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#entries.clear()
    this.#accounts.clear()
    this.#bytes = 0
  }

  #add(key: string, entry: Entry<Value>): Account {
    const account = this.#accounts.get(entry.accountId) ?? { keys: new Set(), bytes: 0 }
    this.#accounts.set(entry.accountId, account)
    account.keys.add(key)
    account.bytes += entry.bytes
    this.#entries.set(key, entry)
    this.#bytes += entry.bytes
    return account
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
    const account = this.#accounts.get(entry.accountId)
    if (account === undefined) return
    account.keys.delete(key)
    account.bytes -= entry.bytes
    if (account.keys.size === 0) this.#accounts.delete(entry.accountId)
  }

  #forgetFirstOf(account: Account | undefined): void {
    const [first] = account?.keys ?? []
    if (first !== undefined) this.#forget(first)
  }

  #largestAccount(): Account | undefined {
    let largest: Account | undefined
    for (const account of this.#accounts.values()) if (account.bytes > (largest?.bytes ?? 0)) largest = account
    return largest
  }

  #forgetUnused(): void {
    const oldestMs = this.#options.clock() - this.#options.keepMs
    for (const [key, { usedAtMs }] of this.#entries) {
      if (usedAtMs > oldestMs) return
      this.#forget(key)
    }
  }

  /** Forgets unused values even if nobody asks. */
  #forgetLater(): void {
    const [oldest] = this.#entries.values()
    if (this.#timer !== undefined || oldest === undefined) return
    const { keepMs, clock } = this.#options
    const waitMs = Math.ceil(oldest.usedAtMs + keepMs - clock())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#forgetUnused()
      this.#forgetLater()
    }, waitMs)
    this.#timer.unref()
  }
}

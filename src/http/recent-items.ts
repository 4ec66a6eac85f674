import { hourMs } from '../core/durations.ts'
import type { AnswerItem } from '../wire/dialect.ts'

export interface RecentItemsOptions {
  /** Time after which unused items are forgotten. 0 keeps none. */
  readonly keepMs: number
  readonly bytesPerAccount: number
  readonly bytes: number
  /** Monotonic clock in milliseconds. */
  readonly clock: () => number
}

export const recentItemsDefaults = {
  keepMs: hourMs,
  bytesPerAccount: 16 * 1024 * 1024,
  bytes: 64 * 1024 * 1024,
  clock: () => performance.now(),
} as const satisfies RecentItemsOptions

interface KeptItem {
  readonly accountId: string
  /** JSON text. */
  readonly text: string
  readonly bytes: number
  usedAtMs: number
}

interface Account {
  /** Item ids, least recently used first. */
  readonly ids: Set<string>
  bytes: number
}

/** Approximate cost of an entry besides its text. */
const bytesBesideText = 512

/**
 * Items of recent answers, which later requests of the same account may refer to by id. They are kept in memory only.
 * Beyond the limits per account or in total, the least recently used are forgotten.
 */
export class RecentItems {
  readonly #options: RecentItemsOptions
  /** Items by id, least recently used first. */
  readonly #items = new Map<string, KeptItem>()
  readonly #accounts = new Map<string, Account>()
  #bytes = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: RecentItemsOptions) {
    this.#options = options
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.#bytes
  }

  /** Keeps an item of an answer unless it exceeds the account's limit alone. */
  keep(accountId: string, item: AnswerItem): void {
    const { keepMs, bytesPerAccount, bytes: limit, clock } = this.#options
    if (keepMs === 0) return
    // Log probabilities are many times as long as the text, and no request needs them.
    const text = JSON.stringify(item, (name, value) => (name === 'logprobs' ? undefined : value))
    const bytes = 2 * text.length + bytesBesideText
    if (bytes > bytesPerAccount) return
    this.#forget(item.id)
    this.#add(item.id, { accountId, text, bytes, usedAtMs: clock() })
    const own = this.#accounts.get(accountId)
    while (own !== undefined && own.bytes > bytesPerAccount) this.#forgetFirst(own.ids)
    while (this.#bytes > limit) this.#forgetFirst(this.#items)
    this.#forgetLater()
  }

  /** Returns the account's item with this id and counts that as use. */
  find(accountId: string, id: string): object | undefined {
    this.#forgetUnused()
    const item = this.#items.get(id)
    if (item?.accountId !== accountId) return undefined
    this.#forget(id)
    this.#add(id, { ...item, usedAtMs: this.#options.clock() })
    return JSON.parse(item.text)
  }

  /** Forgets everything. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#items.clear()
    this.#accounts.clear()
    this.#bytes = 0
  }

  #add(id: string, item: KeptItem): void {
    const account = this.#accounts.get(item.accountId) ?? { ids: new Set(), bytes: 0 }
    this.#accounts.set(item.accountId, account)
    account.ids.add(id)
    account.bytes += item.bytes
    this.#items.set(id, item)
    this.#bytes += item.bytes
  }

  #forget(id: string): void {
    const item = this.#items.get(id)
    if (item === undefined) return
    this.#items.delete(id)
    this.#bytes -= item.bytes
    const account = this.#accounts.get(item.accountId)
    if (account === undefined) return
    account.ids.delete(id)
    account.bytes -= item.bytes
    if (account.ids.size === 0) this.#accounts.delete(item.accountId)
  }

  #forgetFirst(ids: { keys(): Iterator<string> }): void {
    const { value } = ids.keys().next()
    if (value !== undefined) this.#forget(value)
  }

  #forgetUnused(): void {
    const oldestMs = this.#options.clock() - this.#options.keepMs
    for (const [id, { usedAtMs }] of this.#items) {
      if (usedAtMs > oldestMs) return
      this.#forget(id)
    }
  }

  /** Forgets unused items even if no request comes. */
  #forgetLater(): void {
    const [oldest] = this.#items.values()
    if (this.#timer !== undefined || oldest === undefined) return
    const { keepMs, clock } = this.#options
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.#forgetUnused()
        this.#forgetLater()
      },
      Math.ceil(oldest.usedAtMs + keepMs - clock()),
    )
    this.#timer.unref()
  }
}

/** The requests that wait for one model: first in, first out per account, and the accounts take turns. */
import type { RequestId } from './events.ts'

export interface Waiter {
  readonly request: RequestId
  readonly account: string
  readonly sinceMs: number
  /** Rejected at this time. */
  readonly deadlineMs: number
}

export class WaitingQueue {
  /** In the order of their turns; none is empty. */
  readonly #accounts = new Map<string, Waiter[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(waiter: Waiter): void {
    const own = this.#accounts.get(waiter.account)
    if (own === undefined) this.#accounts.set(waiter.account, [waiter])
    else own.push(waiter)
    this.#size += 1
  }

  /** The next one of an account that `mayEnter`; its account's next turn is the last. */
  take(mayEnter: (account: string) => boolean): Waiter | undefined {
    for (const [account, own] of this.#accounts) {
      if (!mayEnter(account)) continue
      const waiter = own.shift()
      this.#accounts.delete(account)
      if (own.length > 0) this.#accounts.set(account, own)
      this.#size -= 1
      return waiter
    }
    return undefined
  }

  remove({ request, account }: Pick<Waiter, 'request' | 'account'>): void {
    const own = this.#accounts.get(account)
    const index = own?.findIndex((waiter) => waiter.request === request) ?? -1
    if (own === undefined || index < 0) return
    own.splice(index, 1)
    if (own.length === 0) this.#accounts.delete(account)
    this.#size -= 1
  }

  countOf(account: string): number {
    return this.#accounts.get(account)?.length ?? 0
  }

  /** How many are taken before the one that stands at `index` among the account's own. */
  ahead(account: string, index = this.countOf(account)): number {
    let ahead = index
    let turns = index + 1
    for (const [other, { length }] of this.#accounts) {
      // Accounts whose turn comes later have had one turn less.
      if (other === account) turns = index
      else ahead += Math.min(length, turns)
    }
    return ahead
  }

  /** How long they have waited in all; of one account at most `perAccount` count. */
  sumOfAgesMs(nowMs: number, perAccount: number): number {
    let sum = 0
    for (const own of this.#accounts.values()) {
      const counted = Math.min(own.length, perAccount)
      for (let index = 0; index < counted; index++) sum += nowMs - (own[index]?.sinceMs ?? nowMs)
    }
    return sum
  }

  /** Since when the one waits that waits the longest; Infinity where none waits. */
  oldestMs(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const [first] of this.#accounts.values()) oldest = Math.min(oldest, first?.sinceMs ?? oldest)
    return oldest
  }

  *[Symbol.iterator](): Generator<Waiter> {
    for (const own of this.#accounts.values()) yield* own
  }
}

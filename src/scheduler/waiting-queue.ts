/** The requests that wait for one model: first in, first out per account, and the accounts take turns. */
import type { WorkKind } from '../core/work.ts'
import type { Again, RequestId } from './events.ts'

/** A request that waits for its model, or a load. */
export interface Waiter {
  readonly request: RequestId
  /** Empty for a load. */
  readonly account: string
  readonly sinceMs: number
  /** Time at which it is rejected. */
  readonly deadlineMs: number
}

export interface QueuedRequest extends Waiter {
  readonly kind: WorkKind
  /** Set if the request was admitted before: see the event `request`. */
  readonly again?: Again | undefined
}

const ranks: readonly (Again | undefined)[] = ['suspect', 'innocent', undefined]

function rankOf({ again }: QueuedRequest): number {
  return ranks.indexOf(again)
}

export class WaitingQueue {
  /** Requests by account, in the order of the accounts' turns. No list is empty. */
  readonly #accounts = new Map<string, QueuedRequest[]>()
  #size = 0
  #suspects = 0

  get size(): number {
    return this.#size
  }

  get suspects(): number {
    return this.#suspects
  }

  /** Adds a request to its account's: suspects first, since all wait for them, then those that were admitted before. */
  add(waiter: QueuedRequest): void {
    const own = this.#accounts.get(waiter.account) ?? []
    this.#accounts.set(waiter.account, own)
    const next = own.findIndex((other) => rankOf(other) > rankOf(waiter))
    own.splice(next === -1 ? own.length : next, 0, waiter)
    this.#count(waiter, 1)
  }

  /** Takes a request that `mayEnter`, in the order of turns. Its account then moves to the end. */
  take(mayEnter: (waiter: QueuedRequest) => boolean): QueuedRequest | undefined {
    for (const [account, own] of this.#accounts) {
      const [waiter, ...others] = own
      if (waiter === undefined || !mayEnter(waiter)) continue
      this.#accounts.delete(account)
      if (others.length > 0) this.#accounts.set(account, others)
      this.#count(waiter, -1)
      return waiter
    }
    return undefined
  }

  remove({ request, account }: Pick<Waiter, 'request' | 'account'>): void {
    const own = this.#accounts.get(account)
    const index = own?.findIndex((waiter) => waiter.request === request) ?? -1
    const waiter = own?.[index]
    if (own === undefined || waiter === undefined) return
    own.splice(index, 1)
    if (own.length === 0) this.#accounts.delete(account)
    this.#count(waiter, -1)
  }

  #count({ again }: QueuedRequest, change: 1 | -1): void {
    this.#size += change
    if (again === 'suspect') this.#suspects += change
  }

  countOf(account: string): number {
    return this.#accounts.get(account)?.length ?? 0
  }

  /** Returns the number of requests taken before the one at `index` of the account's own. */
  ahead(account: string, index = this.countOf(account)): number {
    let ahead = index
    let turns = index + 1
    for (const [other, { length }] of this.#accounts) {
      // Accounts with a later turn have had one turn less.
      if (other === account) turns = index
      else ahead += Math.min(length, turns)
    }
    return ahead
  }

  /** Returns the sum of waiting times; at most `perAccount` requests of an account count. */
  sumOfAgesMs(nowMs: number, perAccount: number): number {
    let sum = 0
    for (const own of this.#accounts.values()) {
      const counted = Math.min(own.length, perAccount)
      for (let index = 0; index < counted; index++) sum += nowMs - (own[index]?.sinceMs ?? nowMs)
    }
    return sum
  }

  /** Returns the start of the longest wait; Infinity if no request waits. */
  oldestMs(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const [first] of this.#accounts.values()) oldest = Math.min(oldest, first?.sinceMs ?? oldest)
    return oldest
  }

  *[Symbol.iterator](): Generator<QueuedRequest> {
    for (const own of this.#accounts.values()) yield* own
  }
}

/**
 * Queue of rows, and their grouping into batches. Pure.
 * Accounts get equal shares of the tokens, and the requests of one account take turns row by row, so that a request
 * with a thousand texts delays nobody. The account and request whose turn it is begin a batch. Others join in their
 * turn if their length fits, because shorter rows are padded. A request that was skipped a few times because of its
 * length begins the batch at its account's next turn, so none starves.
 */

/** Text, or pair of texts, as the model reads it. */
export interface Row {
  readonly ids: Int32Array
  /** Text of a pair that each token belongs to, 0 or 1. Undefined for models without type ids. */
  readonly typeIds: Uint8Array | undefined
}

export interface WaitingRow<Request> {
  readonly request: Request
  /** Index among the request's texts. */
  readonly index: number
  readonly row: Row
}

export interface BatchLimits {
  /** Most tokens: rows times the longest of them. A single row may be longer. */
  readonly tokens: number
  readonly rows: number
  /**
   * Limit on rows times the square of the longest: attention compares every token of a row with every other. A single
   * row may exceed it.
   */
  readonly squares?: number
}

/** Share of a batch's own tokens that padding may add. */
const paddingLimit = 0.25
/** Times that a request may be skipped because its length does not fit. */
const passedOverLimit = 4
/** Most requests considered for one batch: the search must not cost more than the padding it saves. */
const lookedAtLimit = 512

interface Queue<Request> {
  /** Longest first. */
  readonly rows: WaitingRow<Request>[]
  timesPassedOver: number
}

interface Account<Request> {
  /** Tokens served. A new account begins with the minimum of the waiting accounts. */
  servedTokens: number
  /** Queues by request, in the order of their turns. */
  readonly queues: Map<Request, Queue<Request>>
}

interface Turn<Request> {
  readonly account: Account<Request>
  readonly request: Request
  readonly queue: Queue<Request>
}

export class WaitingRows<Request extends object> {
  readonly #accounts = new Map<string, Account<Request>>()
  #tokens = 0

  /** Tokens of all waiting rows. */
  get tokens(): number {
    return this.#tokens
  }

  add(accountId: string, request: Request, rows: readonly Row[]): void {
    const waiting = rows.map((row, index) => ({ request, index, row }))
    waiting.sort((first, second) => second.row.ids.length - first.row.ids.length)
    const account = this.#accounts.get(accountId) ?? { servedTokens: this.#minimumServedTokens(), queues: new Map() }
    this.#accounts.set(accountId, account)
    account.queues.set(request, { rows: waiting, timesPassedOver: 0 })
    this.#tokens += tokensOf(waiting)
  }

  /** Removes the remaining rows of a request. */
  remove(request: Request): void {
    for (const [accountId, { queues }] of this.#accounts) {
      this.#tokens -= tokensOf(queues.get(request)?.rows ?? [])
      queues.delete(request)
      if (queues.size === 0) this.#accounts.delete(accountId)
    }
  }

  /** Returns the next batch, in no particular order; empty if nothing waits. */
  take(limits: BatchLimits): WaitingRow<Request>[] {
    const batch: WaitingRow<Request>[] = []
    let longest = 0
    let ownTokens = 0
    const { tokens, rows, squares = Number.POSITIVE_INFINITY } = limits
    const isWithin = (length: number) => {
      const padded = length * (batch.length + 1)
      return padded <= tokens && padded * length <= squares
    }
    const fits = (length: number) => {
      if (batch.length === 0) return true
      const columns = Math.max(longest, length)
      return isWithin(columns) && columns * (batch.length + 1) <= (ownTokens + length) * (1 + paddingLimit)
    }
    let looked = 0
    for (const { account, request, queue } of this.#turns()) {
      const isFull = batch.length > 0 && !isWithin(longest)
      if (isFull || batch.length === rows || looked++ === lookedAtLimit) break
      const found = queue.rows.findIndex(({ row }) => fits(row.ids.length))
      const [taken] = found < 0 ? [] : queue.rows.splice(found, 1)
      if (taken === undefined) {
        queue.timesPassedOver++
        continue
      }
      const { length } = taken.row.ids
      if (batch.push(taken) === 1) queue.timesPassedOver = 0
      longest = Math.max(longest, length)
      ownTokens += length
      account.servedTokens += length
      account.queues.delete(request)
      if (queue.rows.length > 0) account.queues.set(request, queue) // behind the others
    }
    this.#tokens -= ownTokens
    for (const [accountId, { queues }] of this.#accounts) if (queues.size === 0) this.#accounts.delete(accountId)
    return batch
  }

  /**
   * Yields requests in the order of their turns, each as often as it has rows. One that waited too long comes first.
   */
  *#turns(): Generator<Turn<Request>> {
    const overdue = this.#overdue()
    if (overdue !== undefined) yield overdue
    const open = [...this.#accounts.values()].map((account) => ({ account, turns: account.queues.entries() }))
    while (open.length > 0) {
      const next = open.reduce((least, other) =>
        other.account.servedTokens < least.account.servedTokens ? other : least,
      )
      const { value: turn } = next.turns.next()
      if (turn === undefined) open.splice(open.indexOf(next), 1)
      else yield { account: next.account, request: turn[0], queue: turn[1] }
    }
  }

  #overdue(): Turn<Request> | undefined {
    let longest: Turn<Request> | undefined
    const least = this.#minimumServedTokens()
    for (const account of this.#accounts.values()) {
      // Rows must not overtake rows of an account that was served less.
      if (account.servedTokens > least) continue
      for (const [request, queue] of account.queues) {
        const passedOver = longest?.queue.timesPassedOver ?? passedOverLimit - 1
        if (queue.timesPassedOver > passedOver) longest = { account, request, queue }
      }
    }
    return longest
  }

  #minimumServedTokens(): number {
    const served = [...this.#accounts.values()].map(({ servedTokens }) => servedTokens)
    return served.length === 0 ? 0 : Math.min(...served)
  }
}

function tokensOf(rows: readonly WaitingRow<unknown>[]): number {
  return rows.reduce((sum, { row }) => sum + row.ids.length, 0)
}

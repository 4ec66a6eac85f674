import { ApiError } from '../../core/errors.ts'
import { WeightedFairQueue } from '../../core/weighted-fair-queue.ts'

export interface BodyMemoryOptions {
  /** Total bytes of all bodies beyond which only one at a time is read further. */
  readonly budgetBytes: number
  /** Same limit for the bodies of one account. */
  readonly accountBytes: number
  /** First bytes of each body that do not count, so that small bodies never wait. */
  readonly freeBytes: number
  /** Most open bodies per account, waiting ones included. */
  readonly accountBodies: number
  /**
   * Period in which one body is evicted while others wait. Only bodies that have been arriving for at least this long
   * qualify.
   */
  readonly patienceMs: number
}

/** Memory of one body. */
export interface HeldBody {
  /** Requests more bytes. Returns undefined, or a promise that resolves once they may be kept. */
  hold(bytes: number): Promise<void> | undefined
  /** Marks the body as complete, which protects it from eviction. */
  received(): void
  /** Returns all memory. A waiting `hold` never resolves. */
  release(): void
  /** Rejects with ApiError 408 when other bodies need the memory. */
  readonly evicted: Promise<never>
}

interface OpenBody {
  readonly account: string
  readonly own: MemoryShare
  readonly evict: (error: ApiError) => void
  freeBytes: number
  heldBytes: number
  /** Time at which it began to hold memory. */
  sinceMs: number
  isArriving: boolean
  /** Removes the body from the queue while it waits there. */
  leaveQueue: (() => void) | undefined
}

interface Waiting {
  readonly body: OpenBody
  readonly go: () => void
}

/**
 * Memory of bodies that are being read or parsed. Beyond the limits, bodies wait unread in the sockets' buffers and are
 * admitted in turns by account. Use is at most the budget, one body, and the free bytes of each body. A client that
 * holds memory and stops sending cannot block others: the body that has been arriving longest is evicted.
 */
export class BodyMemory {
  readonly #options: BodyMemoryOptions
  readonly #queue = new WeightedFairQueue<Waiting>()
  readonly #all: MemoryShare
  readonly #accounts = new Map<string, MemoryShare>()
  /** Bodies that hold memory, the earliest first. */
  readonly #holders = new Set<OpenBody>()
  /** Eviction timer. Runs while bodies wait. */
  #evictions: ReturnType<typeof setInterval> | undefined

  constructor(options: BodyMemoryOptions) {
    this.#options = options
    this.#all = new MemoryShare(options.budgetBytes)
  }

  /** Throws ApiError 503 `overloaded` if the account has its maximum of bodies open. */
  open(account: string): HeldBody {
    const own = this.#accounts.get(account) ?? new MemoryShare(this.#options.accountBytes)
    if (own.bodies >= this.#options.accountBodies) throw tooManyBodies()
    this.#accounts.set(account, own)
    own.bodies++
    const { promise: evicted, reject: evict } = Promise.withResolvers<never>()
    // A body may be evicted after its reader has ended.
    evicted.catch(() => undefined)
    const state = { heldBytes: 0, sinceMs: 0, isArriving: true, leaveQueue: undefined }
    const body: OpenBody = { account, own, evict, freeBytes: this.#options.freeBytes, ...state }
    return {
      evicted,
      hold: (bytes) => this.#hold(body, bytes),
      received: () => {
        body.isArriving = false
      },
      release: () => this.#release(body),
    }
  }

  #hold(body: OpenBody, bytes: number): Promise<void> | undefined {
    const counted = Math.max(0, bytes - body.freeBytes)
    body.freeBytes = Math.max(0, body.freeBytes - bytes)
    if (counted === 0) return undefined
    if (this.#allows(body, false)) {
      this.#take(body, counted)
      return undefined
    }
    return new Promise((resolve) => {
      const go = () => {
        body.leaveQueue = undefined
        this.#take(body, counted)
        resolve()
      }
      body.leaveQueue = this.#queue.add(body.account, counted, { body, go })
      this.#admit()
    })
  }

  #take(body: OpenBody, bytes: number): void {
    if (body.heldBytes === 0) body.sinceMs = performance.now()
    this.#holders.add(body)
    body.heldBytes += bytes
    for (const share of [this.#all, body.own]) share.add(body, bytes)
  }

  #release(body: OpenBody): void {
    body.leaveQueue?.()
    this.#holders.delete(body)
    for (const share of [this.#all, body.own]) share.leave(body, body.heldBytes)
    if (--body.own.bodies === 0) this.#accounts.delete(body.account)
    this.#admit()
  }

  /** Skips bodies that wait themselves, which cannot arrive, and complete ones, which are parsed soon. */
  #evictOne(): void {
    const latestMs = performance.now() - this.#options.patienceMs
    for (const body of this.#holders) {
      if (body.sinceMs > latestMs) return
      if (!body.isArriving || body.leaveQueue !== undefined) continue
      body.evict(tooSlowForOthers())
      return
    }
  }

  #admit(): void {
    const isAllowed = ({ body }: Waiting) => this.#allows(body, true)
    for (let next = this.#queue.take(isAllowed); next !== undefined; next = this.#queue.take(isAllowed)) next.go()
    if (this.#queue.size > 0) this.#evictions ??= setInterval(() => this.#evictOne(), this.#options.patienceMs)
    else {
      clearInterval(this.#evictions)
      this.#evictions = undefined
    }
  }

  #allows(body: OpenBody, isTurn: boolean): boolean {
    // The body that exceeds the budget must finish: all others may be waiting for it.
    if (this.#all.isExempt(body)) return true
    return [this.#all, body.own].every((share) => share.allows(body, isTurn))
  }
}

/** Shared byte limit, which one body at a time may exceed: otherwise bodies could wait for each other. */
class MemoryShare {
  readonly #limitBytes: number
  #exempt: object | undefined
  heldBytes = 0
  bodies = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  isExempt(body: object): boolean {
    return this.#exempt === body
  }

  allows(body: object, isTurn: boolean): boolean {
    return this.heldBytes < this.#limitBytes || this.isExempt(body) || (isTurn && this.#exempt === undefined)
  }

  add(body: object, bytes: number): void {
    if (this.heldBytes >= this.#limitBytes) this.#exempt = body
    this.heldBytes += bytes
  }

  leave(body: object, bytes: number): void {
    if (this.#exempt === body) this.#exempt = undefined
    this.heldBytes -= bytes
  }
}

function tooManyBodies(): ApiError {
  const message = 'Too many requests of this account are being read already. Try again in a moment.'
  return new ApiError('unavailable', message, { code: 'overloaded', retryAfterSeconds: 5 })
}

function tooSlowForOthers(): ApiError {
  const message = 'The body arrived too slowly while others waited for the memory that it held. Send it again.'
  return new ApiError('request_timeout', message, { code: 'request_timeout' })
}
